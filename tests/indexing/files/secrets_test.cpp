// What the tables of secret_names.h and secret_text.h promise, entry by entry. No token here is one
// of anybody's: they are made at random.
#include <gtest/gtest.h>

#include <cctype>
#include <chrono>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "indexing/files/file_kind.h"
#include "indexing/files/secret_names.h"
#include "indexing/files/secret_text.h"
#include "indexing/files/source_file.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using Random = std::mt19937;

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string random_text(Random& random, std::string_view alphabet, std::size_t length) {
  std::uniform_int_distribution<std::size_t> any(0, alphabet.size() - 1);
  std::string text(length, ' ');
  for (char& c : text) c = alphabet[any(random)];
  return text;
}

std::string_view alphabet_of(TokenAlphabet alphabet) {
  switch (alphabet) {
    case TokenAlphabet::kHex:
      return "0123456789abcdef";
    case TokenAlphabet::kCapitals:
      return "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    case TokenAlphabet::kAlphanumeric:
      return kBase64.substr(0, 62);
    case TokenAlphabet::kUrl:
      return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  }
  return "";
}

// Its random part, of the least length or a greater one.
std::string random_body(Random& random, const SecretToken& token) {
  const std::size_t most = std::min(token.longest, token.shortest + 20);
  std::uniform_int_distribution<std::size_t> length(token.shortest, most);
  return random_text(random, alphabet_of(token.alphabet), length(random));
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

void replace_all(std::string& text, std::string_view part, std::string_view by) {
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + by.size()))
    text.replace(at, part.size(), by);
}

// A name that the pattern stands for.
std::string example_of(std::string_view pattern, std::string_view star) {
  std::string name(pattern);
  if (name.ends_with('/')) name.pop_back();
  replace_all(name, "**/", "");
  replace_all(name, "[-_.]", "-");
  replace_all(name, "[-_]", "_");
  replace_all(name, "[0-9]", "3");
  replace_all(name, "*", star);
  return name;
}

TEST(SecretNames, EveryLineOfTheTableHolds) {
  std::set<std::string_view> patterns;
  for (const SecretName& name : secret_names()) {
    EXPECT_TRUE(patterns.insert(name.pattern).second) << name.pattern << " is there twice";
    EXPECT_FALSE(name.what.empty()) << name.pattern;
    const bool is_folder = name.pattern.ends_with('/');
    for (const std::string_view star : {"", "x", "-old.2"}) {
      const std::string file = example_of(name.pattern, star);
      for (const std::string& path : {file, "a/b c/" + file, upper_case(file)})
        EXPECT_EQ(forbidden_name(path, is_folder), SkipReason::kSecret) << path;
    }
  }
}

TEST(SecretNames, WhatTheReviewFound) {
  for (const char* name :
       {"env.production", ".authinfo", ".boto", ".s3cfg", ".vault_pass", ".vault_pass.txt",
        "prod.tfvars", "prod.tfvars.json", "x.auto.tfvars.bak", "deploy/ENV.Production"})
    EXPECT_EQ(forbidden_name(name, false), SkipReason::kSecret) << name;
}

TEST(SecretNames, WhatTheSecondReviewFound) {
  for (const char* name : {".dev.vars", ".dev.vars.production", ".Renviron", "vault.yml",
                           "group_vars/all/vault.yml", "prod-vault.yaml", "secrets/db.json",
                           "config/secrets/prod.yaml", "app/google-services.json",
                           "ios/GoogleService-Info.plist", "android/key.properties", "sign.jwk"})
    EXPECT_EQ(forbidden_name(name, false), SkipReason::kSecret) << name;
  for (const char* name : {"secrets/store.py", "src/secrets/index.ts", "vault.go", "dev.vars.ts"})
    EXPECT_NE(forbidden_name(name, false), SkipReason::kSecret) << name;
}

TEST(SecretNames, SourcesAreNone) {
  for (const char* name : {"env.py",
                           "env.ts",
                           "env.d.ts",
                           "env.go",
                           "environment.ts",
                           "envs.py",
                           "env",
                           "env.h",
                           "development.env.ts",
                           "env.production.ts",
                           "env.local.js",
                           "x.env.dev.json",
                           "auth.json",
                           "keys.py",
                           "key.go",
                           "secret.go",
                           "secrets.py",
                           "secret.rs",
                           "client_secret.py",
                           "service_account.py",
                           "service-account.ts",
                           "auth.py",
                           "auth.ts",
                           "config.json",
                           "settings.xml",
                           "settings.py",
                           "gradle.properties",
                           "hosts.yml",
                           "token",
                           "token.py",
                           "main.tf",
                           "variables.tf",
                           "tfvars.go",
                           "boto.py",
                           "s3cfg.py",
                           "netrc.py",
                           "authinfo.el",
                           "vault.go",
                           "history.md",
                           "shell_history.py",
                           "wallet.py",
                           "id.rs",
                           "rclone.go",
                           "keyring.py",
                           "kubeconfig.go",
                           "index.php",
                           "pgpass.go",
                           "my.cnf",
                           "hub"})
    EXPECT_FALSE(forbidden_name(name, false)) << name;
  for (const char* name : {"env", "keys", "secrets", "vault", "gcloud", "gh", "src"})
    EXPECT_FALSE(forbidden_name(name, true)) << name;
}

// As people write it down. `%` stands for the token.
const std::vector<std::string>& hosts() {
  static const std::vector<std::string> kHosts = {
      "%",
      "TOKEN=%\n",
      "export TOKEN='%'\n",
      "{\n  \"token\": \"%\",\n  \"n\": 1\n}\n",
      "service:\n  token: %\n  other: 1\n",
      "client = Client(\"%\")\n",
      "https://user:%@host.example/a\n",
      "<token>%</token>\n",
      "Authorization: Bearer %\r\n",
      "The token is %.\n",
      "| name | `%` |\n",
  };
  return kHosts;
}

std::string put(std::string host, std::string_view token) {
  host.replace(host.find('%'), 1, token);
  return host;
}

TEST(SecretText, EveryTokenOfTheTableIsFoundWhereverItStands) {
  std::set<std::string_view> prefixes;
  for (const SecretToken& token : secret_tokens()) {
    EXPECT_TRUE(prefixes.insert(token.prefix).second) << token.prefix << " is there twice";
    EXPECT_FALSE(token.what.empty()) << token.prefix;
    Random random(7);
    for (const std::string& host : hosts()) {
      const std::string text = put(host, std::string(token.prefix) + random_body(random, token));
      const std::string before = random_text(random, "abcdef gh\n", random() % 3000);
      EXPECT_EQ(unwanted_text("a.txt", before + "\n" + text, true), SkipReason::kSecret) << text;
    }
  }
}

TEST(SecretText, ATokenThatIsDamagedIsNone) {
  for (const SecretToken& token : secret_tokens()) {
    Random random(8);
    for (const std::string& host : hosts()) {
      const std::string prefix(token.prefix);
      const std::string body = random_body(random, token);
      const std::size_t cut = std::min<std::size_t>(token.shortest - 1, body.size());
      EXPECT_FALSE(has_secret(put(host, prefix + body.substr(0, cut)))) << "too short: " << prefix;
      EXPECT_FALSE(has_secret(put(host, "x" + prefix + body))) << "within a word: " << prefix;
      EXPECT_FALSE(has_secret(put(host, prefix + std::string(body.size(), 'a')))) << prefix;
      EXPECT_FALSE(has_secret(put(host, prefix + "<your token, " + body + ">"))) << prefix;
    }
  }
}

TEST(SecretText, EverySettingOfTheTableIsFound) {
  for (const SecretSetting& setting : secret_settings()) {
    EXPECT_FALSE(setting.what.empty()) << setting.name;
    Random random(9);
    const std::string value = random_text(random, kBase64, setting.shortest);
    const std::string name(setting.name);
    for (const std::string& text :
         {name + "=" + value, upper_case(name) + " = " + value + "\n", name + ": " + value,
          "{\"" + name + "\": \"" + value + "\"}", "'" + name + "' => '" + value + "',",
          "x\nMY_" + name + ":=" + value})
      EXPECT_TRUE(has_secret(text)) << text;
    for (const std::string& text :
         {name + "=" + value.substr(1), name + " " + value, name + "=", name,
          name + " = os.environ['" + value + "']", name + "=" + std::string(300, 'x'),
          name + "_path=" + value, name + "=EXAMPLE" + value})
      EXPECT_FALSE(has_secret(text)) << text;
  }
}

std::string pem(Random& random, const std::string& kind) {
  std::string text = "-----BEGIN " + kind + "-----\n";
  for (int i = 0; i < 3; ++i) text += random_text(random, kBase64, 64) + "\n";
  return text + "-----END " + kind + "-----\n";
}

TEST(SecretText, KeysWhereverTheyStand) {
  Random random(10);
  for (const char* kind :
       {"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"}) {
    const std::string key = pem(random, kind);
    std::string in_json = key, in_yaml = "a:\n  key: |\n" + key;
    replace_all(in_json, "\n", "\\n");
    replace_all(in_yaml, "\n", "\n    ");
    for (const std::string& text :
         {key, "\n\n" + key, "\xEF\xBB\xBF" + key,
          "Bag Attributes\n    localKeyID: 01 02 \n    friendlyName: a\nKey Attributes: <No "
          "Attributes>\n" +
              key,
          "some notes\n\n" + key, std::string(15'000, '\n') + "x\n" + key, in_yaml,
          "{\n  \"key\": \"" + in_json + "\"\n}\n", "KEY=\"" + in_json + "\"\n"}) {
      EXPECT_EQ(unwanted_text("a", text, true), SkipReason::kSecret) << text.substr(0, 200);
    }
  }
  EXPECT_TRUE(
      has_secret("-----BEGIN RSA PRIVATE KEY"
                 "-----\nProc-Type: 4,ENCRYPTED\n"));
  EXPECT_TRUE(has_secret("Bag Attributes\n    localKeyID: 01\nsubject=CN = a\n\nissuer=CN = b\n\n" +
                         pem(random, "CERTIFICATE")));
  EXPECT_TRUE(has_secret("PuTTY-User-Key-File-3: ssh-ed25519\n"));
}

TEST(SecretText, UrlsWithPasswordsAndWebHooks) {
  Random random(13);
  const std::string word = random_text(random, alphabet_of(TokenAlphabet::kAlphanumeric), 68) + "7";
  const std::string slack = "T0123456/B0123456/" + word.substr(0, 24) + "4";
  for (const std::string& text : std::vector<std::string>{
           "postgres://app:" + word.substr(0, 12) + "@db.corp.net:5432/x",
           "url = 'mongodb+srv://me:" + word.substr(0, 9) + "@cluster0.abcde.mongodb.net'",
           "https://me:" + word + "@github.com/a/b.git",
           "amqp://u:p%40" + word + "@mq.corp.net/%2f", "https://hooks.slack.com/services/" + slack,
           "\"https://discord.com/api/webhooks/123456789012345678/" + word + "\"",
           "https://api.telegram.org/bot1234567890:AA" + word.substr(0, 33) + "9/sendMessage"})
    EXPECT_TRUE(has_secret(text)) << text;
  for (const std::string& text : std::vector<std::string>{
           "postgres://app:" + word + "@localhost/x", "postgres://app:" + word + "@db:5432/x",
           "postgres://app:" + word + "@127.0.0.1/x", "postgres://app:${PASSWORD}@db.corp.net/x",
           "postgres://app:your-" + word + "@db.corp.net/x",
           "https://user:secret@example.org/" + word, "postgres://postgres:postgres@db.corp.net",
           "https://corp.net/" + word + ":x@y",
           std::string(
               "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
           std::string("https://hooks.slack.com/services/{team}/{bot}/{token}"),
           "https://notdiscord.com/api/webhooks/1/" + word, "git@github.com:a/" + word + ".git",
           "ssh://git@github.com/" + word})
    EXPECT_FALSE(has_secret(text)) << text;
}

TEST(SecretText, KeysInOtherForms) {
  Random random(14);
  const std::string word = random_text(random, kBase64.substr(0, 62), 43) + "_7";
  EXPECT_TRUE(has_secret("notes\nPuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 8\nAAAA\n"));
  EXPECT_TRUE(has_secret("{\"kty\": \"EC\", \"crv\": \"P-256\", \"d\": \"" + word + "\"}"));
  EXPECT_TRUE(has_secret("[{\"k\":\"" + word + "\",\"kty\":\"oct\"}]"));
  EXPECT_FALSE(has_secret("{\"kty\": \"EC\", \"x\": \"" + word + "\"}")) << "a public key";
  EXPECT_TRUE(has_secret("APP_KEY=base64:" + word + "="));
  EXPECT_TRUE(has_secret("TOKEN = '1234567890:AA" + word.substr(0, 33) + "'"));
  EXPECT_FALSE(has_secret("TOKEN = '1234567890:BB" + word.substr(0, 33) + "'"));
  for (const std::string& text :
       {std::string("SECRET_KEY = 'django-insecure-a-long-word-for-development-only'"),
        std::string("api_key = settings.the_name_of_a_very_long_setting_of_ours"),
        std::string("API_KEY: ${{ secrets.SOME_VERY_LONG_NAME_OF_A_SECRET_KEY }}"),
        std::string("access_token = make_a_token_with_a_very_long_function_name(x)")})
    EXPECT_FALSE(has_secret(text)) << text;
}

TEST(SecretText, AServiceAccountByWhateverName) {
  Random random(11);
  std::string key = pem(random, "PRIVATE KEY");
  replace_all(key, "\n", "\\n");
  const TempFolder folder;
  folder.write("app/firebase.json", "{\n  \"type\": \"service_account\",\n  \"private_key\": \"" +
                                        key + "\",\n  \"client_email\": \"a@b.c\"\n}\n");
  const Result<std::string> read = read_source(folder.path(), "app/firebase.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message(), "app/firebase.json: a secret");
}

TEST(SecretText, WhatSpeaksOfSecretsIsNone) {
  Random random(12);
  const std::string certificate = pem(random, "CERTIFICATE");
  for (const std::string& text : std::vector<std::string>{
           "", "if text.startswith(\"-----BEGIN PRIVATE KEY-----\"):\n    load(text)\n",
           "const kMark = \"-----BEGIN OPENSSH PRIVATE KEY-----\\n\";\n",
           "To make one:\n\n-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n",
           "an example:\n-----BEGIN PRIVATE KEY-----\n" + std::string(64, 'A') + "\n",
           "CA = \"\"\"\n" + certificate + "\"\"\"\n", "a text\n" + certificate,
           "aws_access_key_id = AKIAIOSFODNN7EXAMPLE\n",
           "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
           "https://user:password@example.org/\n", "password = getpass.getpass()\n",
           "sk-learn-compatible-estimators-with-a-very-long-name-that-continues\n",
           "npm_config_registry_with_a_long_name_that_goes_on = 1\n",
           "SG.something.else.that.is.long.enough.to.be.seen.and.has.many.dots.in.it = 1\n"})
    EXPECT_FALSE(has_secret(text)) << text;
}

TEST(SecretText, RandomWordsAreNone) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const std::string text = random_text(
        random, seed % 2 == 0 ? kBase64 : "abcdefghijklmnopqrstuvwxyz_.-= \n\"", 10'000);
    EXPECT_FALSE(has_secret(text)) << "seed " << seed;
  }
}

// A megabyte of what comes closest to being a secret.
TEST(SecretText, TakesLinearTime) {
  for (const std::string& part :
       {std::string("privatekey="), std::string("PRIVATE KEY-----\n"), std::string("ghp_"),
        std::string("secret_access_key: \"\n"), std::string("-----BEGIN "), std::string("\n"),
        std::string("    a:\n"), std::string("PRIVATE KEY-----\\n+ "), std::string("AKIA."),
        std::string("://a:"), std::string("\"kty\" "), std::string("api_key=")}) {
    std::string text;
    while (text.size() < (1U << 20)) text += part;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(has_secret(part[0] == '-' ? "x" + text : text)) << part;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << part;
  }
}

}  // namespace
}  // namespace redraft
