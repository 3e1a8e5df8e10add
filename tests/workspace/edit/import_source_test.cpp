// Which statements import from a file.
#include "workspace/edit/import_source.h"

#include <gtest/gtest.h>

namespace redraft {
namespace {

using enum ImportSource;

TEST(ImportSource, ResolvesPythonByDots) {
  const ImportReader reader(ModuleSystem::kPython, "/w/app/ui/page.py", "/w/app/utils.py");
  EXPECT_EQ(reader.of_name("from app.utils import load", "load"), kFile);
  EXPECT_EQ(reader.of_name("from ..utils import other, load", "load"), kFile);
  EXPECT_EQ(reader.of_name("from .utils import load", "load"), kAnother);
  EXPECT_EQ(reader.of_name("from utils import load", "load"), kFile) << "beside app/";
  EXPECT_EQ(reader.of_name("from lib.utils import load", "load"), kAnother);
  EXPECT_EQ(reader.of_name("from app.utils import save as load", "load"), kAnother);
  EXPECT_EQ(reader.of_name("import app.utils", "load"), kAnother);
  EXPECT_EQ(reader.of_module("import app.utils", "app.utils"), kFile);
  EXPECT_EQ(reader.of_module("import app.utils", "app"), kAnother);
  EXPECT_EQ(reader.of_module("import os, app.utils as u", "u"), kFile);
  EXPECT_EQ(reader.of_module("from app import utils as u", "u"), kFile);
  EXPECT_EQ(reader.of_module("from .. import utils", "utils"), kFile);
  EXPECT_EQ(reader.of_module("from .. import utils, other", "other"), kAnother);
  EXPECT_EQ(reader.of_all("from app.utils import *"), kPerhaps);
  EXPECT_EQ(reader.of_all("from app.utils import load"), kAnother);
}

TEST(ImportSource, ByOneWordIsOfTheFilesBelow) {
  const ImportReader reader(ModuleSystem::kPython, "/w/tests/page.py", "/w/app/utils.py");
  EXPECT_EQ(reader.of_name("from utils import load", "load"), kPerhaps);
  EXPECT_EQ(reader.of_name("from app.utils import load", "load"), kFile);
}

TEST(ImportSource, APackageIsItsFolder) {
  const ImportReader reader(ModuleSystem::kPython, "/w/page.py", "/w/app/__init__.py");
  EXPECT_EQ(reader.of_name("from app import load", "load"), kFile);
  EXPECT_EQ(reader.of_name("from . import load", "load"), kAnother);
  EXPECT_EQ(reader.of_module("import app", "app"), kFile);
}

TEST(ImportSource, ScriptsUseRelativePaths) {
  const ImportReader reader(ModuleSystem::kScript, "/w/ui/page.ts", "/w/lib/main.ts");
  EXPECT_EQ(reader.of_name("import { load } from '../lib/main'", "load"), kFile);
  EXPECT_EQ(reader.of_name("import { load } from \"../lib/main.js\";", "load"), kFile);
  EXPECT_EQ(reader.of_name("import { load } from './main'", "load"), kAnother);
  EXPECT_EQ(reader.of_name("import { load } from 'main'", "load"), kAnother);
  EXPECT_EQ(reader.of_name("import { load } from '@/lib/main'", "load"), kPerhaps);
  EXPECT_EQ(reader.of_name("import load from '../lib/main'", "load"), kPerhaps) << "the default";
  EXPECT_EQ(reader.of_name("import { save as load } from '../lib/main'", "load"), kAnother);
  EXPECT_EQ(reader.of_name("const { load } = require('../lib/main');", "load"), kFile);
  EXPECT_EQ(reader.of_name("const { save: load } = require('../lib/main');", "load"), kAnother);
  EXPECT_EQ(reader.of_module("import * as main from '../lib/main'", "main"), kFile);
  EXPECT_EQ(reader.of_module("const main = require('../lib/main');", "main"), kFile);
  EXPECT_EQ(reader.of_module("import main from '../lib/main'", "main"), kPerhaps);
  const ImportReader folder(ModuleSystem::kScript, "/w/ui/page.ts", "/w/lib/index.ts");
  EXPECT_EQ(folder.of_name("import { load } from '../lib'", "load"), kFile);
  EXPECT_EQ(folder.of_name("import { load } from '../lib/index.js'", "load"), kFile);
}

TEST(ImportSource, RustUsesModules) {
  const ImportReader reader(ModuleSystem::kRust, "/w/src/page.rs", "/w/src/lib/main.rs");
  EXPECT_EQ(reader.of_name("use crate::lib::main::load;", "load"), kFile);
  EXPECT_EQ(reader.of_name("use super::main::{save, load};", "load"), kFile);
  EXPECT_EQ(reader.of_name("use other::main::load;", "load"), kPerhaps);
  EXPECT_EQ(reader.of_name("use crate::other::load;", "load"), kAnother);
  EXPECT_EQ(reader.of_name("use crate::main::{save as load};", "load"), kAnother);
  EXPECT_EQ(reader.of_name("use crate::main::inner::load;", "load"), kAnother);
  EXPECT_EQ(reader.of_all("use crate::main::*;"), kPerhaps);
}

TEST(ImportSource, GoUsesPackages) {
  const ImportReader reader(ModuleSystem::kGo, "/w/q/page.go", "/w/lib/p/main.go");
  EXPECT_EQ(reader.of_module("import \"example.com/lib/p\"", "p"), kFile);
  EXPECT_EQ(reader.of_module("import \"example.com/p\"", "p"), kPerhaps);
  EXPECT_EQ(reader.of_module("import (\n\t\"fmt\"\n\tit \"example.com/lib/p\"\n)", "it"), kFile);
  EXPECT_EQ(reader.of_module("import (\n\t\"fmt\"\n\tit \"example.com/lib/p\"\n)", "p"), kAnother);
  EXPECT_EQ(reader.of_module("import \"fmt\"", "fmt"), kAnother);
}

TEST(ImportSource, JavaUsesClasses) {
  const ImportReader reader(ModuleSystem::kJava, "/w/src/com/q/Page.java",
                            "/w/src/com/p/Store.java");
  EXPECT_EQ(reader.of_name("import com.p.Store;", "Store"), kFile);
  EXPECT_EQ(reader.of_name("import com.q.Store;", "Store"), kAnother);
  EXPECT_EQ(reader.of_name("import static com.p.Store.of;", "of"), kFile);
  EXPECT_EQ(reader.of_name("import static com.p.Store.of;", "get"), kAnother);
  EXPECT_EQ(reader.of_all("import com.p.*;"), kPerhaps);
}

TEST(ImportSource, CUsesHeaders) {
  const ImportReader reader(ModuleSystem::kInclude, "/w/page.c", "/w/lib/main.c");
  EXPECT_EQ(reader.of_all("#include \"lib/main.h\""), kFile);
  EXPECT_EQ(reader.of_all("#include <main.h>"), kFile);
  EXPECT_EQ(reader.of_all("#include \"domain.h\""), kAnother);
}

TEST(ImportSource, EndsForAnyText) {
  for (const ModuleSystem modules :
       {ModuleSystem::kPython, ModuleSystem::kScript, ModuleSystem::kRust, ModuleSystem::kGo,
        ModuleSystem::kJava, ModuleSystem::kInclude, ModuleSystem::kCSharp,
        ModuleSystem::kUnknown}) {
    for (const char* file : {"/w/main.x", "/", ""}) {
      const ImportReader reader(modules, "/w/page.x", file);
      for (const char* text : {"", "import", "from", "from . import /", "import ////", "use ::main",
                               "import 'main", "'", "import a as", "from /main import *", "\xff"}) {
        static_cast<void>(reader.of_name(text, "main"));
        static_cast<void>(reader.of_module(text, "as"));
        static_cast<void>(reader.of_all(text));
      }
    }
  }
}

}  // namespace
}  // namespace redraft
