/**
 * The command line's composition root: `troupe …` without a window. What a command does not need is not
 * loaded, so that the first request leaves soon.
 */
import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Arguments, RunOptions } from './command-line/parse-arguments.ts'
import { parseArguments } from './command-line/parse-arguments.ts'
import { EXIT, USAGE } from './command-line/usage.ts'
import { takeEnvironment } from './environment.ts'

const given = takeEnvironment(process.env)
const home = homedir()
const dataFolder = given.dataFolder ?? defaultDataFolder()
/** The folder that holds `agents/` and package.json, above `src/main` or `out`. */
const programFolder = above(dirname(fileURLToPath(import.meta.url)))

// A reader that has gone (`troupe … | head`) ends the program quietly.
process.stdout.on('error', () => process.exit(EXIT.done))

const parsed = parseArguments(process.argv.slice(2))
if (parsed.ok) process.exitCode = await perform(parsed.value)
else process.exitCode = complain(`${parsed.failure.message}\n\n${USAGE}`, EXIT.usage)

async function perform(command: Arguments): Promise<number> {
  switch (command.verb) {
    case 'help':
      process.stdout.write(`${USAGE}\n`)
      return EXIT.done
    case 'version':
      process.stdout.write(`${await version()}\n`)
      return EXIT.done
    case 'window':
      return complain('The window is not part of this file. In the checkout, npm start opens it.', EXIT.usage)
    case 'run':
      return run(command)
    case 'agents-list':
    case 'conversations-list':
    case 'conversations-show':
      return list(command)
  }
}

async function run(options: RunOptions): Promise<number> {
  const folder = resolve(options.cwd ?? '.')
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    return complain(`${folder} is not a folder.`, EXIT.usage)
  const scenarioFile = options.scenario === null ? given.rehearsal.scenarioFile : resolve(options.scenario)
  if (scenarioFile !== null && !existsSync(scenarioFile))
    return complain(`The scenario ${scenarioFile} does not exist.`, EXIT.usage)
  const rehearsal = options.rehearsal || scenarioFile !== null
  const { key, baseUrl } = given.api
  if (!rehearsal && key === null)
    return complain(
      'There is no access to a model. Set ANTHROPIC_API_KEY, or add --rehearsal to let a script look through the folder.',
      EXIT.noAccess,
    )

  const { program, settings } = await compose({ folder: options.trust ? folder : null, scenarioFile })
  const interrupted = new AbortController()
  process.on('SIGINT', () => {
    if (interrupted.signal.aborted) process.exit(EXIT.interrupted)
    interrupted.abort()
  })
  process.on('SIGTERM', () => interrupted.abort())
  try {
    const switched = await program.switchAccess(
      rehearsal
        ? { kind: 'rehearsal' }
        : { kind: 'api', key: key ?? '', baseUrl: baseUrl ?? settings.baseUrl },
    )
    if (!switched.ok) return complain(switched.failure.message, EXIT.usage)
    const { runCommand } = await import('./command-line/run-command.ts')
    return await runCommand(options, {
      runtime: program.runtime,
      folder,
      model: options.model ?? settings.model,
      permissionMode: options.permissionMode ?? settings.permissionMode,
      rehearsal,
      interrupted: interrupted.signal,
      output: process.stdout,
      errors: {
        isTTY: process.stderr.isTTY === true,
        columns: process.stderr.columns ?? 100,
        write: (text) => process.stderr.write(text),
      },
    })
  } finally {
    await program.close()
  }
}

async function list(
  command: Exclude<Arguments, { verb: 'run' | 'help' | 'version' | 'window' }>,
): Promise<number> {
  const folder = command.verb === 'agents-list' ? resolve(command.cwd ?? '.') : resolve('.')
  const trust = command.verb === 'agents-list' && command.trust
  const { program, settings } = await compose({ folder: trust ? folder : null, scenarioFile: null })
  try {
    const around = {
      runtime: program.runtime,
      store: program.store,
      json: command.json,
      output: process.stdout,
      errors: process.stderr,
    }
    if (command.verb === 'agents-list') {
      const { agentsList } = await import('./command-line/agents-list.ts')
      const trusted = settings.trustedFolders.includes(folder)
      return await agentsList({ ...around, definitions: program.definitions, folder, trusted })
    }
    const { conversationsList, conversationsShow } = await import('./command-line/conversations.ts')
    return command.verb === 'conversations-list'
      ? await conversationsList(around)
      : await conversationsShow(command.id, around)
  } finally {
    await program.close()
  }
}

/** `folder`: one that is trusted for this run, beside those that the settings name. */
async function compose({ folder, scenarioFile }: { folder: string | null; scenarioFile: string | null }) {
  const [{ composeRuntime }, { createSettingsStore }] = await Promise.all([
    import('./compose-runtime.ts'),
    import('./adapters/settings/settings-store.ts'),
  ])
  const store = createSettingsStore({ file: join(dataFolder, 'settings.json'), now: Date.now })
  for (const problem of await store.load()) process.stderr.write(`troupe: ${problem}\n`)
  const current = {
    ...store.current,
    trustedFolders: [...store.current.trustedFolders, ...(folder === null ? [] : [folder])],
  }
  const program = await composeRuntime({
    dataFolder,
    home,
    environment: given.forChildren,
    settings: { current },
    agentsFolder: join(programFolder, 'agents'),
    rehearsal: { pace: given.rehearsal.pace ?? 0, scenarioFile },
  })
  return { program, settings: current }
}

/** Where the window keeps its data too. */
function defaultDataFolder(): string {
  switch (process.platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'troupe')
    case 'win32':
      return join(process.env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'troupe')
    default:
      return join(process.env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'troupe')
  }
}

function above(folder: string): string {
  return existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : above(dirname(folder))
}

async function version(): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  const { version } = JSON.parse(await readFile(join(programFolder, 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}

function complain(message: string, code: number): number {
  process.stderr.write(`troupe: ${message}\n`)
  return code
}
