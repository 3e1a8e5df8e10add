// node stories.js PLAN.json: plays the stories of the plan that ../stories.py wrote, in VS Code, each run in a window and
// with a server of its own. Prints what took how long, as a line of JSON for each run.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { CodeServer, Workbench } = require('./editor.js');
const { until } = require('./wait.js');

const plan = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const columnWidth = 8.4;
const margin = 27; // beside the text and the line numbers
const rowHeight = 19;
const frame = 60; // the tabs and the status bar
const settings = {
  'redraft.path': plan.server, 'redraft.cacheOnDisk': false, 'editor.minimap.enabled': false, 'breadcrumbs.enabled': false,
  'workbench.activityBar.location': 'hidden', 'window.commandCenter': false, 'workbench.layoutControl.enabled': false,
  'window.menuBarVisibility': 'hidden', 'editor.occurrencesHighlight': 'off', 'editor.stickyScroll.enabled': false,
};

const now = () => performance.now() / 1000;

// What a story may wait for: whether it is there, given the text of the step.
const waits = {
  async model(workbench) {
    const texts = await workbench.statusTexts();
    return texts.some((text) => /redraft, Model: /.test(text)) && !texts.some((text) => /loading the model/.test(text));
  },
  region: (workbench, text) => workbench.titled(text).isVisible(),
  hunk: async (workbench) => (await workbench.attached()).some(({ isCard }) => isCard),
  async end(workbench) {
    return (await workbench.statusTexts()).some((text) => /redraft: \d+ changes?,/.test(text)); // a running one is "redraft: 40 %, …"
  },
  async proposal(workbench) {
    return (await workbench.statusTexts()).some((text) => text.includes('next change: '));
  },
  cursor: (workbench, text) => workbench.page.locator('.statusbar-item', { hasText: `Ln ${text},` }).isVisible(),
  text: async (workbench, text) => (await workbench.lines()).join('\n').includes(text),
};

// There is room for the new lines, and what fades in has done so.
async function untilDrawn(workbench) {
  const seen = async () => JSON.stringify([await workbench.page.locator('.codelens-decoration').count(), await workbench.attached()]);
  await until(async () => {
    const before = await seen();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const hasRoom = !/"isCard":true/.test(before) || !before.startsWith('[0,');
    return hasRoom && before === await seen();
  }, 'a window that stands still');
}

// What a step does in `run`: { workbench, began, pressed, measured, takesPictures }.
const steps = {
  async press(run, key) {
    run.pressed = now();
    await run.workbench.key(key);
  },
  async type(run, text) {
    await run.workbench.page.keyboard.type(text, { delay: plan.typing });
    run.pressed = now();
  },
  async wait(run, what, { text }) {
    await until(() => waits[what](run.workbench, text), `${what} ${text ?? ''}`);
    if (['hunk', 'end', 'proposal'].includes(what)) {
      run.measured[what] = now() - run.pressed;
    }
    if (what === 'hunk') {
      run.measured.start = now() - run.began;
    }
  },
  async picture({ workbench, takesPictures }, name) {
    if (takesPictures) {
      await untilDrawn(workbench);
      await workbench.page.screenshot({ path: path.join(plan.images, `vscode-${name}.png`) });
    }
  },
};

async function play(run, story) {
  for (const step of story.steps) {
    for (const [kind, act] of Object.entries(steps)) {
      if (kind in step) {
        await act(run, step[kind], step);
      }
    }
  }
}

async function playOnce(host, story, takesPictures) {
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'redraft-story-'));
  const folder = path.join(parent, 'example');
  const name = path.basename(story.source);
  fs.mkdirSync(folder);
  fs.copyFileSync(story.source, path.join(folder, name));
  const size = { width: Math.round(story.columns * columnWidth) + margin, height: story.rows * rowHeight + frame };
  const run = { began: now(), measured: { story: story.name }, takesPictures };
  run.workbench = await Workbench.open(host, folder, name, size);
  try {
    await run.workbench.key('Control+B'); // no side bar
    await run.workbench.untilServed();
    await run.workbench.quickInput('Control+G', `:${story.line}:${story.column}`);
    for (let i = story.above; i < Math.min(story.line - 1, Math.floor(story.rows / 2)); ++i) {
      await run.workbench.key('Control+ArrowDown'); // scrolls: the cursor's line was in the middle, or as far down as the file begins
    }
    await play(run, story);
  } catch (error) {
    const seen = path.join(os.tmpdir(), 'redraft-story-failed.png');
    await run.workbench.page.screenshot({ path: seen });
    console.error(`${story.name}: see ${seen}\n${(await run.workbench.statusTexts()).join('\n')}`);
    throw error;
  } finally {
    await run.workbench.close();
    fs.rmSync(parent, { recursive: true });
  }
  return run.measured;
}

async function playAll() {
  const host = await CodeServer.start(settings);
  try {
    for (const story of plan.stories) {
      for (let i = 1; i <= story.runs; ++i) {
        console.log(JSON.stringify(await playOnce(host, story, i === story.runs)));
      }
    }
  } finally {
    await host.stop();
  }
}

playAll();
