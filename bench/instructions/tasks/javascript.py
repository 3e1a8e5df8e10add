"""JavaScript and TypeScript. TypeScript is not run: that needs a compiler that is not here."""

from ..checks import body, count, documented, file, nodes, renamed, signature, text
from ..judge import JAVASCRIPT, TYPESCRIPT, Task
from ..programs import OWN_TESTS

MS = "npm/ms/index.js"
SIMILAR = "npm/commander/lib/suggestSimilar.js"
OPTION = "npm/commander/lib/option.js"
DOTENV = "npm/dotenv/lib/main.js"
IMMER = "npm/immer/src/utils/common.ts"
ACCOUNTS = "own/javascript/accounts.js"
CART = "own/javascript/cart.test.js"
SERVICE = ("const { cachedAccount, loadAccount } = require('./accounts.js')\n"
           "const service = { fetch: async path => ({ ok: path === '/accounts/7', json: async () => ({ id: 7 }) }) }\n")

TASKS = [
    Task(
        id="javascript/add-jsdoc", language=JAVASCRIPT, file=DOTENV, instruction="add a JSDoc comment",
        at="return envPath[0] === '~'", within=("_resolveHome",),
        checks=[documented("_resolveHome", has=[r"/\*\*", r"@param.*envPath", r"@returns?"])],
        test="assert.deepStrictEqual(require('./lib/main.js').parse('A=1'), { A: '1' })\n"),
    Task(
        id="javascript/template-literal", language=JAVASCRIPT, file=MS, instruction="use a template literal",
        at="return Math.round(ms / n) + ' ' + name", within=("plural",),
        checks=[nodes("plural", "template_string", 1), body("plural", lacks=r"' ' ?\+")],
        test="const ms = require('./index.js')\n"
             "assert.deepStrictEqual([60000, 120000, 90000].map(n => ms(n, { long: true })), ['1 minute', '2 minutes', '2 minutes'])\n"),
    Task(
        id="javascript/use-const", language=JAVASCRIPT, file=MS, instruction="use const instead of var",
        at="var s = 1000;", to="var y = d * 365.25;", lines=r"^(var|const) [smhdwy] = ",
        checks=[count(r"^const [smhdwy] = ", 6, 6), count(r"^var [smhdwy] = ", 0, 0)],
        test="const ms = require('./index.js')\n"
             "assert.deepStrictEqual(['1s', '1m', '1h', '1d', '1w', '1y'].map(t => ms(t)), [1e3, 6e4, 36e5, 864e5, 6048e5, 315576e5])\n"),
    Task(
        id="javascript/add-parameter", language=JAVASCRIPT, file=SIMILAR,
        instruction="make minSimilarity a parameter with the default 0.4",
        at="const minSimilarity = 0.4;", within=("suggestSimilar",),
        checks=[signature("suggestSimilar", has=r"\(word, candidates, minSimilarity ?= ?0\.4,? ?\)"),
                body("suggestSimilar", lacks=r"(const|let|var) minSimilarity")],
        test="const { suggestSimilar } = require('./lib/suggestSimilar.js')\n"
             "assert.strictEqual(suggestSimilar('abcd', ['abcx']), '\\n(Did you mean abcx?)')\n"
             "assert.strictEqual(suggestSimilar('abcd', ['abcx'], 0.9), '')\n"),
    Task(
        id="javascript/for-of", language=JAVASCRIPT, file=OPTION, instruction="use for...of instead of forEach",
        at="¦constructor(options) {", within=("DualOptions.constructor",),
        checks=[nodes("DualOptions.constructor", "for_in_statement", 2, 2), body("DualOptions.constructor", lacks=r"forEach")],
        test="const { DualOptions, Option } = require('./lib/option.js')\n"
             "const dual = new DualOptions([new Option('--build'), new Option('--no-build'), new Option('--no-test')])\n"
             "assert.deepStrictEqual([...dual.dualOptions], ['build'])\n"
             "assert.deepStrictEqual([...dual.negativeOptions.keys()], ['build', 'test'])\n"),
    Task(
        id="javascript/extract-helper", language=JAVASCRIPT, file=DOTENV,
        instruction="extract the creation of errors into a helper that takes the code and the message",
        at="_instructions (result, dotenvKey) {", within=("_instructions",), adds=r"^\w+$",
        checks=[body("_instructions", lacks=r"\.code = ['\"]",
                     has=[r"INVALID_DOTENV_KEY['\"]", r"Missing key part", r"Missing environment part", r"Cannot locate environment"]),
                count(r"new Error\(", 5, 6)],
        test="require('fs').writeFileSync('.env.vault', 'DOTENV_VAULT_X=1')\n"
             "const { config } = require('./lib/main.js')\n"
             "console.log = () => {}\n"
             "const wrong = key => { try { config({ path: '.env.vault', DOTENV_KEY: key }) } catch (e) { return [e.code, e.message.slice(0, 20)] } }\n"
             "assert.deepStrictEqual(wrong('nonsense'), ['INVALID_DOTENV_KEY', 'INVALID_DOTENV_KEY: '])\n"
             "assert.deepStrictEqual(wrong('dotenv://host/'), ['INVALID_DOTENV_KEY', 'INVALID_DOTENV_KEY: '])\n"
             "assert.strictEqual(wrong('dotenv://:key@host/?environment=no')[0], 'NOT_FOUND_DOTENV_ENVIRONMENT')\n"),
    Task(
        id="javascript/async-await", language=JAVASCRIPT, file=ACCOUNTS, instruction="use async/await",
        at="return service.fetch('/accounts/' + id)", within=("loadAccount",),
        checks=[signature("loadAccount", has=r"async function loadAccount ?\(service, id\)"),
                body("loadAccount", has=r"await service\.fetch", lacks=r"\.then\(")],
        test=SERVICE + "loadAccount(service, 7).then(async account => {\n"
             "  assert.deepStrictEqual(account, { id: 7 })\n"
             "  assert.deepStrictEqual(cachedAccount(7, Date.now()), { id: 7 })\n"
             "  await assert.rejects(() => loadAccount(service, 8), /no account 8/)\n"
             "}).catch(error => { console.error(error); process.exit(1) })\n"),
    Task(
        id="javascript/handle-null", language=JAVASCRIPT, file=ACCOUNTS,
        instruction="return an empty string if there is no account", at="return account.first + ' '", within=("displayName",),
        checks=[signature("displayName", has=r"function displayName ?\(account\)"), body("displayName", has=r"\bif\b|\?|&&|\|\|")],
        test="const { displayName } = require('./accounts.js')\n"
             "assert.deepStrictEqual([null, { first: 'A', last: 'B' }].map(displayName), ['', 'A B'])\n"),
    Task(
        id="javascript/add-test", language=JAVASCRIPT, file=CART, instruction="add a test for an empty cart",
        at="})\n¦\ntest('an item that is there several times'", inserts=True,
        checks=[count(r"^test\(", 3), count(r"^test\('(the total of one item|an item that is there several times)'", 2, 2),
                count(r"new Cart\(\)", 3), count(r"\bassert\.?\w*\(", 3),
                text(has=r"^test\(['\"`].*(empty|no items?|nothing|without).*['\"`]")],
        test=OWN_TESTS),
    Task(
        id="typescript/no-any", language=TYPESCRIPT, file=IMMER, instruction="use unknown instead of any",
        at="return Object.isFrozen(obj)", within=("isFrozen",),
        checks=[signature("isFrozen", has=r"isFrozen\(obj: unknown\): boolean"), body("isFrozen", has=r"return Object\.isFrozen\(obj\)")]),
    Task(
        id="typescript/rename-parameter", language=TYPESCRIPT, file=IMMER, instruction="rename thing to target",
        at="thing: any, prop: PropertyKey): boolean", within=("has",),
        checks=[renamed("has", "thing", "target"), body("has", has=r"\.call\(target, prop\)")]),
    Task(
        id="typescript/drop-else", language=TYPESCRIPT, file=IMMER, instruction="drop the else after the return",
        at="// perform a sloppy copy", within=("shallowCopy",),
        checks=[body("shallowCopy", has=[r"return Object\.assign\(obj, base\)", r"return Object\.create\(getPrototypeOf\(base\), descriptors\)"],
                     lacks=r"\belse\b"), body("shallowCopy", has=r"return \{ ?\.\.\.base ?\}"), file(has=r"export function shallowCopy\(base: any, strict: StrictMode\)")]),
]
