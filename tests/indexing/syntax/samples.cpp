#include "tests/indexing/syntax/samples.h"

namespace redraft {
namespace {

const Sample kCode[] = {
    {"shellscript",
     R"(#!/bin/bash
set -eu

«# Prints what it was given.
say() {
  echo "$¦1"
}»

function leave { exit "$code"; }
)",
     {"function say", "function leave"}},
    {"c",
     R"(#include <stdio.h>

«/* A place
   on a plane. */
typedef struct point {
  int x;¦
} point_t;»

enum colour { kRed, kBlue };

static struct point *nearest(struct point *points, int n) { return n > 0 ? points : 0; }
)",
     {"type point", "type colour", "function nearest"}},
    {"cpp",
     R"(#include <vector>

namespace shapes {

class Polygon : public Shape {
 public:
  «// How many corners.
  [[nodiscard]] int corners() const { return ¦n_; }»

 private:
  int n_ = 0;
};

template <typename T>
T largest(const std::vector<T>& all) {
  return all.back();
}

Polygon::~Polygon() {}

}  // namespace shapes
)",
     {"module shapes", "  type Polygon", "    function corners", "  function largest",
      "  function Polygon::~Polygon"}},
    {"csharp",
     R"(using System;

namespace Bank
{
    public class Account
    {
        «/// <summary>What is left.</summary>
        [Obsolete]
        public int Balance(int fee)
        {
            return total¦ - fee;
        }»

        public string Name { get; set; }
        public Account() { }
    }

    interface IPaid { void Pay(); }
}
)",
     {"module Bank", "  type Account", "    function Balance", "    function Name",
      "    function Account", "  type IPaid", "    function Pay"}},
    {"go",
     R"(package queue

import "fmt"

// Queue is one.
type Queue struct {
	items []int
}

«// Push adds at the end.
// It never fails.
func (q *Queue) Push(item int) {
	q.items = append(q.items, item)¦
}»

type (
	Pair struct{ a, b int }
	Name string
)

func main() { fmt.Println("x") }
)",
     {"type Queue", "function Push", "type Pair", "type Name", "function main"}},
    {"java",
     R"(package shop;

public class Basket {
  private int n;

  «/** Adds one. */
  @Override
  public void add(String item) {
    n++;¦
  }»

  Basket() {}

  enum Kind { BIG, SMALL }
  record Line(String name, int count) {}
}

interface Priced { int price(); }
)",
     {"type Basket", "  function add", "  function Basket", "  type Kind", "  type Line",
      "type Priced", "  function price"}},
    {"javascript",
     R"(import fs from 'fs';

«/**
 * Twice as much.
 */
export const twice = (n) => {
  return 2 * n;¦
};»

class Reader {
  static open(name) { return new Reader(name); }
  close = () => {};
}

function* lines() { yield 1; }

module.exports.run = function () {};
const table = { start: function () {} };
)",
     {"function twice", "type Reader", "  function open", "  function close", "function lines",
      "function module.exports.run", "function start"}},
    {"typescript",
     R"(interface Named { name: string }

export abstract class Store<T> {
  «@cached()
  public find(id: number): T | undefined {
    return this.all.get¦(id);
  }»
}

type Id = number | string;
enum Mode { Read, Write }
namespace Inner { export function help(): void {} }
)",
     {"type Named", "type Store", "  function find", "type Id", "type Mode", "module Inner",
      "  function help"}},
    {"typescriptreact",
     R"(type Props = { title: string };

«export function Heading({ title }: Props) {
  return <h1 className="big">{ti¦tle}</h1>;
}»

const Empty = () => <></>;
)",
     {"type Props", "function Heading", "function Empty"}},
    {"lua",
     R"(local M = {}

«-- Adds two numbers.
function M.add(a, b)
  return a + ¦b
end»

local function hidden() end
M.late = function() return 1 end
return { start = function() end }
)",
     {"function M.add", "function hidden", "function M.late", "function start"}},
    {"php",
     R"(<p>Hello</p>
<?php
namespace App;

class Mailer
{
    «/** Sends it. */
    #[Route('/send')]
    public function send(string $to): bool
    {
        return mail(¦$to);
    }»
}

interface Sends {}
trait Logs {}
enum Level { case Low; }
function helper() { return 1; }
)",
     {"type Mailer", "  function send", "type Sends", "type Logs", "type Level",
      "function helper"}},
    {"python",
     R"(import os


class Stack:
    """Last in, first out."""

    «# Looks, does not touch.
    @property
    @cached(size=3)
    def top(self):
        return self.items[-1]¦»

    def push(self, item):
        def check():
            pass
        check()


async def main():
    pass
)",
     {"type Stack", "  function top", "  function push", "    function check", "function main"}},
    {"ruby",
     R"(require 'set'

module Zoo
  class Cage < Box
    «# Opens it.
    def open(key)
      @locked = ¦false
    end»

    def self.build
      new
    end
  end
end
)",
     {"module Zoo", "  type Cage", "    function open", "    function build"}},
    {"rust",
     R"(use std::fmt;

/// A point.
#[derive(Debug, Clone)]
pub struct Point { x: i32 }

impl fmt::Display for Point {
    «/// Writes it.
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self¦.x)
    }»
}

trait Area { fn area(&self) -> f64 { 0.0 } }
enum Shape { Round, Square }
mod tests { fn check() {} }
macro_rules! twice { ($x:expr) => { 2 * $x }; }
)",
     {"type Point", "implementation Point", "  function fmt", "type Area", "  function area",
      "type Shape", "module tests", "  function check", "function twice"}},
    {"scala",
     R"(package shop

import scala.collection.mutable

object Basket {
  val Empty = 0
  def of(first: String): Basket = new Basket(first)
}

class Basket(var last: String, limit: Int = 3) extends Priced {
  private val items = mutable.Buffer[String]()

  «/** Adds one. */
  @deprecated("slow", "1")
  override def add[T](item: T, count: Int): Int = {
    last = s"$item and ${items.size}"
    items.size¦ + count
  }»
}

trait Priced { def price: Int }
enum Kind { case Big, Small }
type Name = String

def total(all: List[Int]): Int =
  all.sum
)",
     {"type Basket", "  function of", "type Basket", "  function add", "type Priced",
      "  function price", "type Kind", "type Name", "function total"}},
    {"kotlin",
     R"(package shop

import kotlin.math.max

class Basket(private val limit: Int = 3, var last: String) : Base(limit), Priced {
  «/** Adds one. */
  @Deprecated("slow")
  override fun <T> add(item: T, vararg more: Int): Int {
    last = "$item and ${more.size}"
    return max(limit¦, more.size)
  }»

  companion object {
    fun of(first: String): Basket = Basket(last = first)
  }
}

interface Priced {
  fun price(): Int
}

enum class Kind(val n: Int) {
  BIG(1),
  SMALL(2);

  fun twice() = n * 2
}

object Store
typealias Name = String

fun String.total(all: List<Int>): Int = all.sum()
)",
     {"type Basket", "  function add", "  type ", "    function of", "type Priced",
      "  function price", "type Kind", "  function twice", "type Store", "type Name",
      "function total"}},
    {"swift",
     R"(import Foundation

final class Basket: Base, Priced {
  private var items: [String] = []
  var size: Int {
    items.count
  }

  «/// Adds one.
  @discardableResult
  func add<T>(_ item: T, to count: Int = 1, rest: Int...) async throws -> Int {
    guard let first = items.first else { return 0 }
    return size¦ + first.count
  }»

  init(items: [String]) { self.items = items }
}

protocol Priced { func price() -> Int }
enum Kind { case big(Int), small }
struct Point { var x = 0 }
extension Basket: Equatable {}
typealias Name = String

func total(all: [Int]) -> Int { all.reduce(0, +) }
)",
     {"type Basket", "  function size", "  function add", "  function init", "type Priced",
      "  function price", "type Kind", "type Point", "type Basket", "type Name", "function total"}},
    {"zig",
     R"(const std = @import("std");

pub const Basket = struct {
    items: []const u8,

    «/// Adds one.
    pub fn add(self: *Basket, item: u8) !usize {
        for (self.items, 0..) |each, i| {
            if (each == item) return i;
        }
        return self.items.len¦;
    }»
};

const Kind = enum { big, small };

fn total(all: []const u32) usize {
    return all.len;
}

test "total" {
    try std.testing.expect(total(&.{}) == 0);
}
)",
     {"type Basket", "  function add", "type Kind", "function total", "function total"}},
};

}  // namespace

std::span<const Sample> code_samples() { return kCode; }

}  // namespace redraft
