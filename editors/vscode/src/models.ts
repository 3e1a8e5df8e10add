// The model: whether it is present, and its download by `redraft models pull`, with progress and cancellation.
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import { setDone } from './steps';

interface Model {
  name: string;
  present: boolean;
  bytes: number;
  licence: string;
}

// A line of `redraft models pull NAME --format json`.
interface Step {
  model: string;
  bytes: number; // so far
  total: number;
  phase: 'downloading' | 'checking' | 'done';
}

const listTimeout = 20000; // ms
const declinedKey = 'redraft.declinedDownload';  // the model whose download the user has declined for good

function sizeOf(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}

// The models that `program` knows.
function listModels(program: string): Promise<Model[]> {
  return new Promise((resolve, reject) => {
    execFile(program, ['models', 'list', '--format', 'json'], { timeout: listTimeout }, (error, output) => {
      try {
        resolve(error ? reject(error) as never : (JSON.parse(output) as Model[]));
      } catch (syntax) {
        reject(syntax as Error);
      }
    });
  });
}

// The model that writes, if redraft can fetch it. The first one is its default.
async function wanted(program: string): Promise<Model | undefined> {
  const target = vscode.workspace.getConfiguration('redraft').get<string>('target', '').trim();
  const models = await listModels(program);
  return target === '' ? models[0] : models.find(({ name }) => name === target);
}

function words({ bytes, total, phase }: Step): string {
  return phase === 'downloading' ? `${sizeOf(bytes)} of ${sizeOf(total)}` : phase === 'checking' ? 'checking its SHA-256' : 'done';
}

// Returns undefined on success, otherwise the error. Cancels with SIGINT, like a user at a terminal: the downloaded part is
// kept, and the next download continues from there.
function run(
  program: string, name: string, report: (step: Step) => void, cancelled: vscode.CancellationToken,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, ['models', 'pull', name, '--format', 'json'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (data: Buffer) => (errors = (errors + data.toString()).slice(-2000)));
    createInterface(child.stdout).on('line', (line) => {
      try {
        report(JSON.parse(line) as Step);
      } catch {
        errors = `${errors}${line}\n`;
      }
    });
    cancelled.onCancellationRequested(() => child.kill('SIGINT'));
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => {
      const said = errors.trim().split('\n').pop();
      resolve(code === 0 ? undefined : said || `the program ended with ${signal ?? `exit code ${code}`}`);
    });
  });
}

export class Models implements vscode.Disposable {
  private readonly command = vscode.commands.registerCommand('redraft.downloadModel', () => this.ask());
  private program: string | undefined;
  private isDownloading = false;
  private offered: string | undefined; // in this window

  // `arrived` is called when a model has been downloaded.
  constructor(
    private readonly memory: vscode.Memento,
    private readonly output: vscode.LogOutputChannel,
    private readonly arrived: () => void,
  ) {}

  dispose(): void {
    this.command.dispose();
  }

  // Uses a program that was found, and offers to download its model if that is missing.
  async use(program: string): Promise<void> {
    this.program = program;
    const model = await wanted(program).catch((error: Error) => {
      this.output.warn(`the list of models: ${error.message}`);
      return undefined;
    });
    setDone('hasModel', model?.present !== false);
    const isWanted = model && !model.present && model.name !== this.offered && model.name !== this.memory.get(declinedKey);
    if (isWanted && !this.isDownloading) {
      this.offered = model.name;
      await this.offer(model);
    }
  }

  private async offer(model: Model): Promise<void> {
    const [yes, never] = ['Download', 'Do Not Ask Again'];
    const choice = await vscode.window.showInformationMessage(`redraft: the model ${described(model)} is not downloaded yet.`, yes, never);
    if (choice === yes) {
      await this.download(model);
    } else if (choice === never) {
      await this.memory.update(declinedKey, model.name);
    }
  }

  // On an explicit request.
  private async ask(): Promise<void> {
    if (!this.program) {
      await vscode.commands.executeCommand('redraft.restart');  // reports what is missing
    }
    const model = this.program && (await wanted(this.program).catch((error: Error) => error));
    if (model instanceof Error) {
      void vscode.window.showErrorMessage(`redraft: the list of models: ${model.message}`);
    } else if (this.program && !model) {
      void vscode.window.showInformationMessage('redraft: the setting redraft.target names a model of your own.');
    } else if (model && model.present) {
      void vscode.window.showInformationMessage(`redraft: the model ${model.name} is already downloaded.`);
    } else if (model) {
      const detail = `It is ${sizeOf(model.bytes)}, its licence is ${model.licence}. redraft checks it against a known SHA-256.`;
      const question = `redraft: download the model ${model.name}?`;
      if (await vscode.window.showInformationMessage(question, { modal: true, detail }, 'Download')) {
        await this.download(model);
      }
    }
  }

  private async download(model: Model): Promise<void> {
    const { program } = this;
    if (this.isDownloading || !program) {
      return;
    }
    this.isDownloading = true;
    const title = `redraft: the model ${described(model)}`;
    try {
      await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true },
        (progress, cancelled) => this.follow(program, model, progress, cancelled));
    } finally {
      this.isDownloading = false;
    }
  }

  private async follow(
    program: string, model: Model, progress: vscode.Progress<{ message: string; increment: number }>,
    cancelled: vscode.CancellationToken,
  ): Promise<void> {
    let percent = 0;
    const failed = await run(program, model.name, (step) => {
      const now = step.total > 0 ? (100 * step.bytes) / step.total : 0;
      progress.report({ message: words(step), increment: Math.max(0, now - percent) });
      percent = Math.max(percent, now);
    }, cancelled);
    if (cancelled.isCancellationRequested) {
      vscode.window.setStatusBarMessage('redraft: the download was cancelled. The next one continues from here', 5000);
    } else if (failed) {
      const again = 'Try Again';
      void vscode.window.showErrorMessage(`redraft: cannot download the model: ${failed}`, again)
        .then((choice) => choice && this.download(model));
    } else {
      setDone('hasModel', true);
      void vscode.window.showInformationMessage(`redraft: the model ${model.name} is downloaded.`);
      this.arrived();
    }
  }
}

function described({ name, bytes, licence }: Model): string {
  return `${name} (${sizeOf(bytes)}, licence ${licence})`;
}
