class Report {
  String head(User user) {
    String line = format(user)
        .strip()
        .concat(user.name());
    if (line.isEmpty()) {
      return "";
    }
    return line;
  }

  int size() {
    return 1;
  }
}
