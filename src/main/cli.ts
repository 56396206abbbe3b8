/**
 * The command line's composition root: `troupe …` without a window. Each command loads only what it needs, so
 * that its first request leaves early.
 */

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sentence } from '../shared/kernel/result.ts'
import * as commands from './cli-commands.ts'
import { type CommandLineRoot, complain, outputs, versionOf } from './cli-root.ts'
import { compareAgents, runTask, serveAcp } from './cli-run.ts'
import { KEY_READABLE, KEY_VARIABLES, readEnvironment, withVariables } from './environment.ts'
import { readUserSettings } from './features/settings/user-settings.ts'
import { type Arguments, parseArguments, type WindowArguments } from './parse-arguments.ts'
import { dataFolderOf } from './platform/command-line/data-folder.ts'
import { folderAt } from './platform/command-line/given-paths.ts'
import { EXIT, usageOf } from './platform/command-line/usage.ts'
import { eraseVariables } from './platform/system/erase-variables.ts'

const ofProcess = readEnvironment(process.env)
const isKeyErased = eraseVariables(KEY_VARIABLES)
const root = createRoot()

process.on('uncaughtException', (thrown) => {
  process.exit(complain(thrown.stack ?? thrown.message, EXIT.failed))
})
void main()

async function main(): Promise<void> {
  // The exit code if the event loop runs empty before the command has ended.
  process.exitCode = EXIT.failed
  if (!isKeyErased) complain(KEY_READABLE, 0)
  const parsed = parseArguments(process.argv.slice(2))
  process.exitCode = parsed.ok
    ? await perform(parsed.value)
    : complain(`${oneLine(parsed.failure.message)} Options: troupe --help`, EXIT.usage)
}

function createRoot(): CommandLineRoot {
  const home = homedir()
  const dataFolder =
    ofProcess.dataFolder === null
      ? dataFolderOf({ platform: process.platform, home, environment: process.env })
      : resolve(ofProcess.dataFolder)
  const userSettings = readUserSettings({ dataFolder, home })
  return {
    dataFolder,
    home,
    given: withVariables(ofProcess, userSettings.env),
    userSettings,
    // Above `src/main` or `out`.
    programFolder: above(dirname(fileURLToPath(import.meta.url))),
  }
}

async function perform(command: Arguments): Promise<number> {
  if (!existsSync(join(root.programFolder, 'agents')))
    return complain(
      'The folders agents and docs and the file package.json are missing above cli.mjs. Copy them together with out/cli.mjs, out/cli-main.cjs, out/documents.cjs and node_modules/@vscode.',
      EXIT.failed,
    )
  switch (command.verb) {
    case 'help':
      outputs().output.write(`${usageOf(command.of)}\n`)
      return EXIT.done
    case 'version':
      outputs().output.write(`${await versionOf(root)}\n`)
      return EXIT.done
    case 'window':
      return window(command)
    case 'run':
      return runTask(root, command)
    case 'best':
      return compareAgents(root, command)
    case 'acp':
      return serveAcp(root, command)
    case 'agents-read':
      return commands.readAgentFiles(command)
    case 'agents-list':
    case 'agents-lint':
    case 'agents-explain':
    case 'agents-approve':
      return commands.agents(root, command)
    case 'conversations-list':
    case 'conversations-show':
    case 'context':
      return commands.conversations(root, command)
    case 'worker':
    case 'worker-connect':
    case 'worker-key':
    case 'worker-trust':
    case 'nats-setup': {
      const { performWorkerCommand } = await import('./features/workers/command-line/cli-workers.ts')
      return performWorkerCommand(command, root)
    }
    case 'worktrees-list':
    case 'worktrees-merge':
    case 'worktrees-discard':
    case 'worktrees-undo-discard':
    case 'worktrees-gc':
      return commands.worktrees(root, command)
    case 'changes-list':
    case 'changes-revert':
    case 'changes-redo':
      return commands.changes(root, command)
    case 'hooks-list':
    case 'hooks-test':
    case 'hooks-approve':
    case 'hooks-refuse':
      return commands.hooks(root, command)
    case 'mcp-list':
    case 'mcp-test':
    case 'mcp-approve':
    case 'mcp-refuse':
    case 'mcp-add':
    case 'mcp-remove':
      return commands.mcp(root, command)
    case 'models-list':
    case 'models-probe':
      return commands.models(root, command)
    case 'plugins-list':
    case 'plugins-add':
    case 'plugins-enable':
    case 'plugins-disable':
    case 'plugins-remove':
    case 'plugins-update':
      return commands.plugins(root, command)
    case 'programs-list':
    case 'programs-install':
    case 'programs-update':
    case 'programs-remove':
    case 'programs-check':
    case 'programs-enable':
    case 'programs-disable':
    case 'programs-add':
      return commands.programs(root, command)
    case 'doctor':
    case 'doctor-import':
    case 'doctor-undo':
      return commands.doctor(root, command)
    case 'trust-list':
    case 'trust-add':
    case 'trust-revoke':
      return commands.trust(root, command)
    case 'permissions-explain':
    case 'permissions-list':
    case 'permissions-approve':
      return commands.permissions(root, command)
  }
}

/** Opens the window with the checkout's start script, and ends with the window. */
async function window({ folder: path, rules, mcpConfig }: WindowArguments): Promise<number> {
  const found = path === null ? null : folderAt(path)
  if (found !== null && !found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found?.value ?? null
  const { wrongStart } = await import('./features/run/run-rules.ts')
  const start = { rules, mcpConfig: mcpConfig.map((file) => resolve(file)) }
  const wrong = wrongStart(start)
  if (wrong !== null) return complain(wrong, EXIT.usage)
  const script = join(root.programFolder, 'scripts', 'run.mjs')
  if (!existsSync(script))
    return complain('There is no window here: start the Troupe app, and open the folder there.', EXIT.usage)
  const { openWindow } = await import('./platform/command-line/open-window.ts')
  const closed = await openWindow(script, {
    folder,
    ...start,
    keys: root.given.api,
    environment: process.env,
  })
  return closed.ok ? closed.value : complain(closed.failure.message, EXIT.failed)
}

function above(folder: string): string {
  return existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : above(dirname(folder))
}

/** Ends the sentence, because another one follows. */
function oneLine(message: string): string {
  return sentence(message)
}
