// Drives a real VS Code: code-server with a fresh profile, its workbench in headless Chromium.
'use strict';
const childProcess = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { patience, until } = require('./wait.js');

const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
const home = path.join(cache, 'redraft', 'editors');
const { chromium } = require(path.join(home, 'vscode', 'node_modules', 'playwright-core'));
const repository = path.resolve(__dirname, '..', '..', '..');
const extensionFolder = path.join(repository, 'editors', 'vscode');

// What would move, pop up, save by itself or ask a marketplace is off.
const quietSettings = {
  'chat.disableAIFeatures': true,
  'editor.accessibilitySupport': 'off',
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'files.autoSave': 'off',
  'files.hotExit': 'off',
  'git.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
};

function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function browserProgram() {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const found = names.flatMap((name) => process.env.PATH.split(':').map((folder) => path.join(folder, name)));
  return found.find((file) => fs.existsSync(file));
}

// A server with settings, extensions and user data of its own; everything it writes goes into one temporary folder.
class CodeServer {
  // `environment`: more variables, and those that are undefined are taken away.
  static async start(settings, environment = {}) {
    const server = new CodeServer();
    server.environment = environment;
    server.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'redraft-vscode-'));
    try {
      await server.launch(settings);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  async launch(settings) {
    const data = path.join(this.folder, 'data');
    const config = path.join(this.folder, 'config.yaml');
    this.writeSettings('User', quietSettings);
    this.writeSettings('Machine', settings);
    fs.writeFileSync(config, 'auth: none\n');
    const program = path.join(home, 'bin', 'code-server');
    const extensions = path.join(this.folder, 'extensions');
    const options = ['--config', config, '--user-data-dir', data, '--extensions-dir', extensions];
    const env = { ...process.env, XDG_CONFIG_HOME: this.folder, XDG_DATA_HOME: this.folder, HOME: this.folder, EXTENSIONS_GALLERY: '{"serviceUrl":""}',
      ...this.environment };
    if (process.env.REDRAFT_EXTENSIONS) { // where run.sh has installed the package, once for all files
      fs.cpSync(process.env.REDRAFT_EXTENSIONS, extensions, { recursive: true });
    } else {
      const vsix = path.join(extensionFolder, 'redraft.vsix'); // the package, so that a file it lacks is noticed
      childProcess.execFileSync(program, [...options, '--install-extension', vsix], { env, stdio: 'pipe' });
    }
    await this.serve({ config, 'user-data-dir': data, 'extensions-dir': extensions }, env);
  }

  // `code-server` starts the server as another process, which it gives ten seconds to load: too few where others compile.
  // So the test stands in for it, and answers the server's first message as it does: with the options.
  async serve(folders, env) {
    const port = await freePort();
    this.address = `127.0.0.1:${port}`;
    const socket = path.join(folders['user-data-dir'], 'code-server-ipc.sock');
    const args = { ...folders, host: '127.0.0.1', port, 'session-socket': socket, auth: 'none', 'app-name': 'code-server',
      'proxy-domain': [], 'disable-telemetry': true, 'disable-update-check': true, 'disable-workspace-trust': true,
      'disable-getting-started-override': true, _: [],
      'vscode-option': ['enable-smoke-test-driver'] }; // or the page ignores which tests to run in the extension host
    const file = path.join(this.folder, 'server.log');
    this.log = fs.openSync(file, 'w');
    this.child = childProcess.fork(path.join(home, 'vscode', 'node_modules', 'code-server', 'out', 'node', 'entry.js'), {
      env: { ...env, CODE_SERVER_PARENT_PID: String(process.pid), NODE_EXEC_PATH: process.execPath },
      stdio: ['ignore', this.log, this.log, 'ipc'], detached: true,
    });
    this.child.once('message', () => this.child.send({ type: 'handshake', args }));
    const answers = () => fetch(`http://${this.address}/healthz`).then((reply) => reply.ok, () => false);
    await until(() => this.child.exitCode !== null || answers(), 'code-server');
    if (this.child.exitCode !== null) {
      throw new Error(`code-server ended: ${fs.readFileSync(file, 'utf8')}`);
    }
  }

  // Where the server is a remote machine for its windows, as here, VS Code takes settings of the scopes "machine" and
  // "machine-overridable" (what is started) from the machine's file alone. In the user's file they do not hold. Yet
  // windows that read it before they know the extension let extensions see them, until they read it again.
  writeSettings(whose, settings) {
    const folder = path.join(this.folder, 'data', whose);
    fs.mkdirSync(folder, { recursive: true });
    const written = path.join(folder, 'settings.json.new');
    fs.writeFileSync(written, JSON.stringify(settings));
    fs.renameSync(written, path.join(folder, 'settings.json')); // a reader sees all or nothing of it
  }

  remote(file) {
    return `vscode-remote://${this.address}${path.resolve(file)}`;
  }

  page(folder, payload) {
    const query = new URLSearchParams({ folder, payload: JSON.stringify([['skipWelcome', 'true'], ...payload]) });
    return `http://${this.address}/?${query}`;
  }

  // What the extension and the hosts of extensions wrote, for when something did not happen.
  extensionLogs() {
    const folder = path.join(this.folder, 'data', 'logs');
    const files = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true }) : [];
    return files
      .filter((name) => /(redraft|exthost)[^/]*\.log$/.test(name))
      .map((name) => `--- ${name}\n${fs.readFileSync(path.join(folder, name), 'utf8').slice(-3000)}`)
      .join('\n');
  }

  // Ends the whole process group: server, extension hosts, language servers.
  async stop() {
    if (this.child && this.child.exitCode === null && this.child.signalCode === null) {
      const gone = new Promise((resolve) => this.child.once('exit', resolve));
      process.kill(-this.child.pid, 'SIGTERM');
      const force = setTimeout(() => process.kill(-this.child.pid, 'SIGKILL'), 5000);
      await gone;
      clearTimeout(force);
    }
    if (this.log !== undefined) {
      fs.closeSync(this.log);
    }
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function openPage(viewport) {
  const browser = await chromium.launch({
    executablePath: browserProgram(),
    timeout: patience,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  });
  const page = await (await browser.newContext({ viewport })).newPage();
  page.setDefaultTimeout(patience);
  page.on('dialog', (dialog) => dialog.accept()); // "leave the page?" with an unsaved file
  return { browser, page };
}

// The workbench as a person has it: keyboard, mouse, what is on the screen.
class Workbench {
  static async open(server, folder, file, viewport = { width: 1180, height: 720 }) {
    const workbench = new Workbench();
    Object.assign(workbench, await openPage(viewport));
    try {
      await workbench.page.goto(server.page(folder, [['openFile', server.remote(path.join(folder, file))]]));
      await workbench.page.waitForSelector('.editor-instance .view-lines .view-line');
      await workbench.page.locator('.editor-instance .view-lines').first().click();
    } catch (error) {
      await workbench.close();
      throw error;
    }
    return workbench;
  }

  close() {
    return this.browser.close();
  }

  key(key) {
    return this.page.keyboard.press(key);
  }

  type(text) {
    return this.page.keyboard.type(text, { delay: 5 });
  }

  async screenshot(name) {
    const folder = process.env.REDRAFT_SCREENSHOTS;
    if (folder) {
      fs.mkdirSync(folder, { recursive: true });
      await this.page.screenshot({ path: path.join(folder, `${name}.png`) });
    }
  }

  // Fills the quick input that `key` opens, and enters it; another one may follow it.
  async enterQuickInput(key, text) {
    await this.key(key);
    const input = this.page.locator('.quick-input-widget input').first();
    await input.waitFor();
    await input.fill(text);
    await this.key('Enter');
  }

  // Runs the command of that title from the palette. The list follows the text late; Enter before that would run what
  // stands first in it.
  async enterCommand(title) {
    await this.key('F1');
    const widget = this.page.locator('.quick-input-widget');
    await widget.locator('input').first().waitFor();
    await widget.locator('input').first().fill(`>${title}`);
    await widget.locator('.monaco-list-row.focused', { hasText: title }).first().waitFor();
    await this.key('Enter');
  }

  // The same, and nothing is asked afterwards.
  async command(title) {
    await this.enterCommand(title);
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  // The same as enterQuickInput() where none follows.
  async quickInput(key, text) {
    await this.enterQuickInput(key, text);
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  goToLine(line) {
    return this.quickInput('Control+G', `:${line}`);
  }

  status(text, timeout = patience) {
    return this.page.locator('.statusbar-item', { hasText: text }).first().waitFor({ timeout });
  }

  // The extension's own item, in red or not.
  problem(is = true) {
    return this.page.locator(`.statusbar-item${is ? '.error-kind' : ':not(.error-kind)'}`, { hasText: 'redraft' }).first().waitFor();
  }

  // All that the status bar says, with what it shows under the pointer.
  statusTexts() {
    return this.page.locator('.statusbar-item').evaluateAll((items) => items.map((item) => item.getAttribute('aria-label')));
  }

  // What is typed before is not asked for anew.
  async untilServed() {
    const says = async () => (await this.statusTexts()).some((text) => /redraft, (Model: |The model is)/.test(text));
    await until(says, 'a running server');
  }

  // Into the box that asks for an instruction and is there: it may be drawn before the keys go to it, and they may go to it
  // until it is hidden.
  async instruct(instruction) {
    await this.page.locator('.quick-input-widget input').first().fill(instruction);
    await this.key('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  // Its title.
  titled(title) {
    return this.page.locator('.quick-input-title', { hasText: `redraft: ${title}` });
  }

  lens(text) {
    return this.page.locator('.codelens-decoration a', { hasText: text });
  }

  // The lines on the screen, in order: the editor keeps no others.
  lines() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('.editor-instance .view-lines .view-line')]
        .sort((a, b) => parseInt(a.style.top) - parseInt(b.style.top))
        .map((line) => line.textContent.replace(/\u00a0/g, ' ')));
  }

  // The lines that have the background colour `name` over their whole width.
  linesIn(name) {
    return this.page.evaluate((variable) => {
      const probe = document.querySelector('.monaco-workbench').appendChild(document.createElement('div'));
      probe.style.backgroundColor = `var(${variable})`;
      const wanted = getComputedStyle(probe).backgroundColor;
      probe.remove();
      const topOf = (element) => Math.round(element.getBoundingClientRect().top);
      const tops = [...document.querySelectorAll('.editor-instance .view-overlays .cdr')]
        .filter((part) => getComputedStyle(part).backgroundColor === wanted)
        .map(topOf);
      return [...document.querySelectorAll('.editor-instance .view-lines .view-line')]
        .filter((line) => tops.includes(topOf(line)))
        .sort((a, b) => topOf(a) - topOf(b))
        .map((line) => line.textContent.replace(/\u00a0/g, ' '));
    }, `--vscode-${name.replace('.', '-')}`);
  }

  // What extensions draw at lines, which is in no element, from top to bottom: { text, top, bottom, left, right, color, background,
  // isCard, lineTop, lineBottom }. The background is a list, the lowest first. A card is placed by CSS; it has `marks`, blocks
  // behind the text, with a colour of their own.
  attached() {
    return this.page.evaluate(() => {
      const text = (content) => (/^"/.test(content) ? content.slice(1, -1)
        .replace(/\\([0-9a-f]{1,6}) ?|\\(.)/gi, (_, hex, plain) => (hex ? String.fromCodePoint(parseInt(hex, 16)) : plain))
        .replace(/\u00a0/g, ' ') : '');
      const one = (span, which) => {
        const style = getComputedStyle(span, which);
        const line = span.closest('.view-line').firstElementChild.getBoundingClientRect();
        const top = line.top + (parseFloat(style.top) || 0);
        const tint = style.backgroundImage.match(/rgba?\([^)]*\)/);
        return { which, text: text(style.content), isCard: style.position === 'absolute', top, bottom: top + parseFloat(style.height),
          left: line.left, right: line.left + parseFloat(style.width), color: style.color,
          background: [style.backgroundColor, ...(tint ?? [])], lineTop: line.top, lineBottom: line.bottom };
      };
      const all = [...document.querySelectorAll('.editor-instance .view-lines span')]
        .flatMap((span) => ['::before', '::after'].map((which) => one(span, which)))
        .filter((each) => each.text !== '');
      const behind = all.filter(({ isCard, which }) => isCard && which === '::after');
      return all.filter((each) => !behind.includes(each)).sort((a, b) => a.top - b.top).map((each) => {
        const marks = behind.find(({ top }) => top === each.top);
        return each.isCard && marks ? { ...each, marks: marks.text, markColor: marks.color, background: marks.background } : each;
      });
    });
  }

  // The lines of all of these.
  async attachedText() {
    return (await this.attached()).flatMap(({ text }) => text.split('\n'));
  }

  // The notifications; the test mode shows no pop-ups.
  async notification(text) {
    const centre = this.page.locator('.notifications-center');
    if (!(await centre.isVisible())) {
      await this.page.locator('.statusbar-item[id="status.notifications"]').click();
      await this.page.mouse.move(300, 300); // its tooltip would hide what is to be clicked
    }
    const message = centre.locator('.notification-list-item', { hasText: text }).first();
    await message.waitFor();
    return message;
  }

  untilLines(expected) {
    return until(async () => {
      const lines = await this.lines();
      return expected.every((line, i) => lines[i] === line);
    }, `the lines ${JSON.stringify(expected)}`);
  }
}

// Runs `exports.run` of a CommonJS file inside the extension host, with the whole vscode API; gives what it logged.
async function runInExtensionHost(server, folder, file) {
  const { browser, page } = await openPage({ width: 1180, height: 720 });
  const log = [];
  let timer;
  try {
    await page.exposeFunction('codeAutomationLog', (_level, parts) => log.push(parts.join(' ')));
    const exit = new Promise((resolve) => page.exposeFunction('codeAutomationExit', resolve));
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`no result yet\n${log.join('\n')}`)), 4 * patience);
    });
    await page.goto(server.page(folder, [
      ['extensionDevelopmentPath', server.remote(extensionFolder)],
      ['extensionTestsPath', server.remote(file)],
      ['enableProposedApi', ''],
    ]));
    const code = await Promise.race([exit, late]);
    return { code, log: log.join('\n') };
  } finally {
    clearTimeout(timer);
    await browser.close();
  }
}

module.exports = { CodeServer, Workbench, runInExtensionHost, quietSettings };
