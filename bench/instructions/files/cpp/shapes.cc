// Shapes on a plan, and what is drawn of them.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace plan {

class Shape {
 public:
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual std::string name() const { return "shape"; }
};

class Square : public Shape {
 public:
  explicit Square(double side) : side_(side) {}

  double area() const override { return side_ * side_; }

  std::string name() const { return "square"; }

 private:
  double side_;
};

class Plan {
 public:
  void add(std::unique_ptr<Shape> shape) { shapes_.push_back(std::move(shape)); }

  // How many shapes there are.
  std::size_t size() { return shapes_.size(); }

  double area() const {
    double sum = 0;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      sum += shapes_[i]->area();
    }
    return sum;
  }

 private:
  std::vector<std::unique_ptr<Shape>> shapes_;
};

// The name of a square of that side and its area, for the legend.
std::string legend(double side) {
  Square* square = new Square(side);
  std::string text = square->name() + " " + std::to_string(square->area());
  delete square;
  return text;
}

}  // namespace plan
