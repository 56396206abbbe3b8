/** `troupe agents lint`: what is wrong with the definitions of a folder, or with files that are named. */
import { relative, sep } from 'node:path'
import { type KnownNames, missingNames } from '../../shared/agent-definition/missing-names.ts'
import type { LibraryEntry } from '../../shared/agent-library.ts'
import type { DefinitionSource, FileSystem, LoadedDefinition } from '../runtime/ports.ts'
import { readText } from './agents-read.ts'
import { type Problem, problemLine } from './definition-block.ts'
import { mendFile } from './mend-file.ts'
import { namedFiles, readNamedFile, stemOf } from './named-files.ts'
import type { LintOptions } from './parse-agents.ts'
import { printedLines } from './printed-lines.ts'
import { EXIT } from './usage.ts'

export interface LintSurroundings {
  readonly definitions: Pick<DefinitionSource, 'load' | 'library'>
  readonly files: Pick<FileSystem, 'realPath' | 'stat' | 'write'>
  readonly known: KnownNames
  readonly folder: string
  readonly trusted: boolean
  /** What paths are relative to. */
  readonly cwd: string
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}

interface Checked {
  /** As it is printed. */
  readonly path: string
  readonly problems: readonly Problem[]
}

/** The exit code: `failed` where an error remains. */
export async function agentsLint(options: LintOptions, around: LintSurroundings): Promise<number> {
  const isNamed = options.files.length > 0
  const checked = isNamed ? await checkFiles(options, around) : await checkFolder(options, around)
  const lines = printedLines(around.output)
  for (const { path, problems } of checked)
    for (const problem of problems.toSorted((a, b) => a.line - b.line || a.column - b.column)) {
      const { code, severity, line, column, message } = problem
      lines.add(
        options.json
          ? JSON.stringify({ path, code, severity, line, column, message })
          : problemLine(path, problem),
      )
      await lines.pause()
    }
  lines.end()
  const severities = checked.flatMap(({ problems }) => problems.map(({ severity }) => severity))
  const count = (severity: Problem['severity']) =>
    amount(severities.filter((one) => one === severity).length, severity)
  around.errors.write(
    `${amount(checked.length, isNamed ? 'file' : 'definition')}: ${count('error')}, ${count('warning')}, ${count('notice')}.\n`,
  )
  return severities.includes('error') ? EXIT.failed : EXIT.done
}

const amount = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`

async function checkFiles(options: LintOptions, around: LintSurroundings): Promise<readonly Checked[]> {
  const files = namedFiles(options.files, around.cwd)
  // Where the folder is not trusted its skills are not known, and the file may well be one of its own.
  const known = around.trusted ? around.known : { ...around.known, skills: null }
  if (options.fix) for (const one of files) if (readNamedFile(one).ok) await mend(one.path, one.file, around)
  return files.map((file) => {
    const text = readNamedFile(file)
    const { path, definition, diagnostics } = readText(text, { path: file.path, stem: stemOf(file.path) })
    if (definition === null || !text.ok) return { path, problems: diagnostics }
    const more = missingNames(text.value, { ...definition, source: 'project' }, known)
    return { path, problems: [...diagnostics, ...more] }
  })
}

async function checkFolder(options: LintOptions, around: LintSurroundings): Promise<readonly Checked[]> {
  const { definitions, folder, trusted, cwd, errors } = around
  if (!trusted) errors.write(`troupe: ${UNTRUSTED}\n`)
  let library = await definitions.library(folder, { trusted })
  if (options.fix) {
    for (const { locked, file, diagnostics } of library.entries)
      if (!locked && file !== null && diagnostics.length > 0) await mend(shownPath(file, cwd), file, around)
    library = await definitions.library(folder, { trusted })
  }
  const loaded = (await definitions.load(folder, { trusted })).definitions
  const byId = new Map(library.entries.map((entry) => [entry.id, entry]))
  return [
    ...library.problems.map((message) => ({ path: shownPath(folder, cwd), problems: [ofFolder(message)] })),
    ...library.entries.map((entry) => ({
      path: entry.file === null ? entry.id : shownPath(entry.file, cwd),
      problems: [
        ...entry.diagnostics,
        ...ofOverriding(entry, byId),
        ...ofSurroundings(entry, loaded, around),
      ],
    })),
  ]
}

export const UNTRUSTED =
  'This folder is not trusted, so its own agents are left out. Add --trust to see them.'

/** What an agent in use names and is not there. */
function ofSurroundings(
  entry: LibraryEntry,
  loaded: readonly LoadedDefinition[],
  { known }: LintSurroundings,
): readonly Problem[] {
  const definition = loaded.find((one) => one.name === entry.name && one.source === entry.source)
  if (definition === undefined || (entry.state !== 'offered' && entry.state !== 'hidden')) return []
  const file = entry.file
  const text = file === null ? null : readNamedFile({ path: file, file, within: null, failure: null })
  return missingNames(text?.ok ? text.value : '', definition, known)
}

function ofOverriding(entry: LibraryEntry, byId: ReadonlyMap<string, LibraryEntry>): readonly Problem[] {
  const winner = entry.overriddenBy === null ? undefined : byId.get(entry.overriddenBy)
  if (winner === undefined || entry.diagnostics.some(({ code }) => code === 'overridden')) return []
  const message = `${winner.file ?? winner.id} (${winner.source}) has the name ${winner.name} too and holds in its place.`
  return [{ code: 'overridden', severity: 'notice', line: 1, column: 1, message }]
}

const ofFolder = (message: string): Problem => ({
  code: 'bad-folder',
  severity: 'error',
  line: 1,
  column: 1,
  message,
})

async function mend(path: string, file: string, { files, errors }: LintSurroundings): Promise<void> {
  const mended = await mendFile(file, files)
  if (!mended.ok) errors.write(`troupe: ${path} was not mended: ${mended.failure.message}\n`)
  else for (const done of mended.value) errors.write(`mended ${path}: ${done}\n`)
}

/** Relative where it lies below the folder one is in. */
export function shownPath(file: string, cwd: string): string {
  const below = relative(cwd, file)
  return below === '' || below === '..' || below.startsWith(`..${sep}`) ? file : below
}
