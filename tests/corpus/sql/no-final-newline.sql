CREATE TABLE a (id int);
CREATE TABLE b (id int)