CREATE TABLE a (id int);
DROP TABLE a;
CREATE TABLE a (id int);
