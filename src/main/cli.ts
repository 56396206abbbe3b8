/**
 * The command line's composition root: `troupe …` without a window. Each verb loads only what it needs, so that its
 * first request leaves early.
 */

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sentence } from '../shared/kernel/result.ts'
import { type CommandLineRoot, helpPage, programVersion } from './command-line.ts'
import { KEY_READABLE, KEY_VARIABLES, readEnvironment, withVariables } from './environment.ts'
import { readUserSettings } from './features/settings/user-settings.ts'
import { helpText, readCommandLine, type Wanted } from './platform/command-line/command-table.ts'
import { dataFolderOf } from './platform/command-line/given-paths.ts'
import { complain, EXIT, endWithReader, outputs } from './platform/command-line/terminal.ts'
import { eraseVariables } from './platform/system/erase-variables.ts'
import { createSystemClock, machineElapsed } from './platform/system/machine-time.ts'
import { createIds, randomFraction } from './platform/system/random-names.ts'
import { verbs } from './verbs.ts'

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
  const wanted = readCommandLine(verbs, process.argv.slice(2))
  process.exitCode = wanted.ok
    ? await perform(wanted.value)
    : // Ends the sentence, because another one follows.
      complain(`${sentence(wanted.failure.message)} Options: troupe --help`, EXIT.usage)
}

function createRoot(): CommandLineRoot {
  const home = homedir()
  const dataFolder =
    ofProcess.dataFolder === null
      ? dataFolderOf({ platform: process.platform, home, environment: process.env })
      : resolve(ofProcess.dataFolder)
  const userSettings = readUserSettings({ dataFolder, home })
  const clock = createSystemClock()
  return {
    dataFolder,
    home,
    ...{ clock, ids: createIds({ clock, random: randomFraction }), elapsed: machineElapsed },
    given: withVariables(ofProcess, userSettings.env),
    userSettings,
    // Above `src/main` or `out`.
    programFolder: above(dirname(fileURLToPath(import.meta.url))),
  }
}

async function perform(wanted: Wanted<CommandLineRoot>): Promise<number> {
  if (!existsSync(join(root.programFolder, 'agents')))
    return complain(
      'The folders agents and docs and the file package.json are missing above cli.mjs. Copy them together with out/cli.mjs, out/cli-main.cjs, out/documents.cjs, out/shared-page.html and node_modules/@vscode.',
      EXIT.failed,
    )
  if (wanted.kind === 'verb') return await wanted.run(root)
  const text = wanted.kind === 'help' ? await helpAbout(wanted.of) : await programVersion(root)
  outputs().output.write(`${text}\n`)
  endWithReader()
  return EXIT.done
}

/** The help of a verb with where its page is, a page, or the help of all. */
async function helpAbout(of: string | null): Promise<string> {
  if (of === null) return helpText(verbs, null)
  const page = await helpPage(root.programFolder, of)
  const isVerb = verbs.some(({ words }) => words === of || (words !== '' && words.split(' ')[0] === of))
  const hasPage = page !== null && 'text' in page
  if (isVerb) return `${helpText(verbs, of)}${hasPage ? `\nThe page about it: troupe help ${of}.md` : ''}`
  if (hasPage) return page.text
  return page === null
    ? helpText(verbs, null)
    : `There is no page "${of}". Did you mean: troupe help ${page.near}`
}

function above(folder: string): string {
  return existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : above(dirname(folder))
}
