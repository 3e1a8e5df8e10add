#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// The name that a line declares, in any language, as far as one line without a syntax tree says it:
//
//   public func total30(n: Int) throws -> Int {    total30
//   resource "aws_instance" "web" {                aws_instance.web
//   CREATE TABLE IF NOT EXISTS users (             users
//   Future<void> load() async {                    load
//
// Empty: it declares nothing, or only a variable.
std::string declared_name(std::string_view line);

// A line that declares something, of a text without a syntax tree.
struct HeadLine {
  int line = 0;      // from 0
  std::string name;  // without those before a dot
  std::string path;  // with the names that the lines around it declare: "Item30.total30"
  std::string text;  // without blanks at its ends
};

// Those of `lines`, in order. Not the ones within a function.
std::vector<HeadLine> head_lines(std::span<const std::string_view> lines);

// How many columns a line is indented; a tab counts four.
int columns_of(std::string_view line);

}  // namespace redraft
