function total(order) {
  if (order.isFree) {
    return 0;
  }
  const sum = order.price +
      order.tax;
  return sum;
}
