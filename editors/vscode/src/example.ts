// An example file that exists only in memory.
import * as vscode from 'vscode';

const content = `import os


def read(path):
    f = open(path)
    return f.read()


def name(path):
    return os.path.basename(path)


# Type here, and wait a moment: def area(
`;

// With the cursor in its first function.
export async function openExample(): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'python', content });
  const editor = await vscode.window.showTextDocument(document);
  const at = new vscode.Position(4, 4);
  editor.selection = new vscode.Selection(at, at);
}
