#include <gtest/gtest.h>

TEST(Parser, ReadsNumbers) {
  EXPECT_EQ(1, parse("1"));
}

// A fixture.
TEST_F(ParserTest, RefusesWords) {
  int a = 1, b = 2;
  EXPECT_THROW(parse("x"), std::runtime_error);
}
