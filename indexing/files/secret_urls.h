#pragma once

#include <string_view>

namespace redraft {

// Whether `text` has a URL that lets whoever knows it do something: with the password of a user
// (`postgres://app:password@db.example.net`), or of a web hook (Slack, Discord, Teams). Passwords
// of this machine's own services and placeholders do not count. Takes linear time; any thread.
bool has_secret_url(std::string_view text);

}  // namespace redraft
