/** `troupe agents lint`: the problems of a folder's definitions, or of the files given. */

import { relative, sep } from 'node:path'
import type { CatalogEntry, SkillInfo } from '../../../../shared/agent-definition/agent-catalog.ts'
import { definitionNotes } from '../../../../shared/agent-definition/definition-notes.ts'
import { fixText } from '../../../../shared/agent-definition/fix-text.ts'
import { type KnownNames, missingNames } from '../../../../shared/agent-definition/missing-names.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { countOf } from '../../../../shared/kernel/amounts.ts'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { EXIT, type Printing, printedLines } from '../../../platform/command-line/terminal.ts'
import type {
  DefinitionFiles,
  DefinitionSource,
  LoadedDefinition,
} from '../../../runtime/ports/definitions.ts'
import type { FileSystem } from '../../../runtime/ports/files.ts'
import { problemLine, publishedCode, type ReportedProblem, readText } from './agents-read.ts'
import { namedFiles, readNamedFile, stemOf } from './named-files.ts'

export interface LintContext extends Printing {
  readonly definitions: Pick<DefinitionSource, 'load' | 'catalog'>
  readonly definitionFiles: Pick<DefinitionFiles, 'pending' | 'approve'>
  readonly files: Pick<FileSystem, 'realPath' | 'stat' | 'write'>
  readonly known: KnownNames
  /** The skills of the folder, whose fields without effect are named. */
  readonly skills?: readonly SkillInfo[]
  readonly folder: string
  readonly trusted: boolean
  /** The base of relative paths. */
  readonly cwd: string
}

interface Checked {
  /** The path as printed. */
  readonly path: string
  readonly problems: readonly ReportedProblem[]
}

interface LintOptions {
  /** Empty: all definitions for the folder. */
  readonly files: readonly string[]
  readonly fix: boolean
  readonly json: boolean
}

/** @returns the exit code: `failed` if an error remains */
export async function agentsLint(options: LintOptions, context: LintContext): Promise<number> {
  const isNamed = options.files.length > 0
  const checked = isNamed ? await checkFiles(options, context) : await checkFolder(options, context)
  const lines = printedLines(context.output)
  for (const { path, problems } of checked)
    for (const problem of problems.toSorted((a, b) => a.line - b.line || a.column - b.column)) {
      const { code, severity, line, column, message } = problem
      lines.add(
        options.json
          ? JSON.stringify({ path, code: publishedCode(code), severity, line, column, message })
          : problemLine(path, problem),
      )
      await lines.pause()
    }
  lines.end()
  const severities = checked.flatMap(({ problems }) => problems.map(({ severity }) => severity))
  const count = (severity: ReportedProblem['severity']) =>
    countOf(severities.filter((one) => one === severity).length, severity)
  context.errors.write(
    `${countOf(checked.length, isNamed ? 'file' : 'definition')}: ${count('error')}, ${count('warning')}, ${count('notice')}.\n`,
  )
  return severities.includes('error') ? EXIT.failed : EXIT.done
}

async function checkFiles(options: LintOptions, context: LintContext): Promise<readonly Checked[]> {
  const files = namedFiles(options.files, context.cwd)
  // An untrusted folder's skills are unknown, and the file may be one of its own.
  const known = context.trusted ? context.known : { ...context.known, skills: null }
  if (options.fix) for (const one of files) if (readNamedFile(one).ok) await fix(one.path, one.file, context)
  return files.map((file) => {
    const text = readNamedFile(file)
    const { path, definition, diagnostics } = readText(text, { path: file.path, stem: stemOf(file.path) })
    if (definition === null || !text.ok) return { path, problems: diagnostics }
    const more = missingNames(text.value, { ...definition, source: 'project' }, { ...known, fixes: false })
    return { path, problems: [...diagnostics, ...more, ...definitionNotes(text.value, definition)] }
  })
}

async function checkFolder(options: LintOptions, context: LintContext): Promise<readonly Checked[]> {
  const { definitions, folder, trusted, cwd, errors } = context
  if (!trusted) errors.write(`troupe: ${AGENTS_UNTRUSTED}\n`)
  let catalog = await definitions.catalog(folder, { trusted })
  if (options.fix) {
    for (const { locked, file, diagnostics } of catalog.entries)
      if (!locked && file !== null && diagnostics.length > 0) await fix(pathFrom(file, cwd), file, context)
    const waited = new Set(waiting(catalog.entries))
    catalog = await definitions.catalog(folder, { trusted })
    const fixed = waiting(catalog.entries).filter((id) => !waited.has(id))
    for (const id of fixed) await approveFixed(id, context)
    if (fixed.length > 0) catalog = await definitions.catalog(folder, { trusted })
  }
  const loaded = (await definitions.load(folder, { trusted })).definitions
  const byName = new Map(loaded.map((one) => [nameKey(one), one]))
  const byId = new Map(catalog.entries.map((entry) => [entry.id, entry]))
  return [
    ...catalog.problems.map((message) => ({ path: pathFrom(folder, cwd), problems: [ofFolder(message)] })),
    ...catalog.entries.map((entry) => ({
      path: entry.file === null ? entry.id : pathFrom(entry.file, cwd),
      problems: [...entry.diagnostics, ...shadowedOf(entry, byId), ...missingOf(entry, byName, context)],
    })),
    ...(context.skills ?? []).flatMap(({ file, notes = [] }) =>
      notes.length === 0 ? [] : [{ path: pathFrom(file, cwd), problems: notes.map(ofSkill) }],
    ),
  ]
}

const ofSkill = (message: string): ReportedProblem => ({
  ...{ code: 'no-effect', severity: 'notice', line: 1, column: 1 },
  message,
})

const waiting = (entries: readonly CatalogEntry[]): readonly string[] =>
  entries.filter(({ state }) => state === 'waits').map(({ id }) => id)

/** What the user lets this program fix needs no approval of its own. */
async function approveFixed(id: string, { folder, definitionFiles }: LintContext): Promise<void> {
  const pending = await definitionFiles.pending({ folder, id })
  // Otherwise the agent still waits, which the list below says.
  if (pending.ok) await definitionFiles.approve({ folder, ...pending.value })
}

export const AGENTS_UNTRUSTED =
  'This folder is not trusted, so its own agents are left out. Add --trust to include them.'

const nameKey = ({ name, source }: Pick<LoadedDefinition, 'name' | 'source'>): string => `${source} ${name}`

/** The missing tools, skills and servers that an agent in use names. */
function missingOf(
  entry: CatalogEntry,
  loaded: ReadonlyMap<string, LoadedDefinition>,
  { known }: LintContext,
): readonly ReportedProblem[] {
  const definition = loaded.get(nameKey(entry))
  if (definition === undefined || (entry.state !== 'offered' && entry.state !== 'hidden')) return []
  const file = entry.file
  const text = file === null ? null : readNamedFile({ path: file, file, within: null, failure: null })
  const content = text?.ok ? text.value : ''
  const notes = entry.source === 'built-in' ? [] : definitionNotes(content, definition)
  return [...missingNames(content, definition, { ...known, fixes: false }), ...notes]
}

function shadowedOf(
  entry: CatalogEntry,
  byId: ReadonlyMap<string, CatalogEntry>,
): readonly ReportedProblem[] {
  const winner = entry.shadowedBy === null ? undefined : byId.get(entry.shadowedBy)
  if (winner === undefined || entry.diagnostics.some(({ code }) => code === 'shadowed')) return []
  const message = `Shadowed by ${winner.file ?? winner.id} (${winner.source}), which has the same name ${winner.name}. Rename one of them.`
  return [{ code: 'shadowed', severity: 'notice', line: 1, column: 1, message }]
}

const ofFolder = (message: string): ReportedProblem => ({
  code: 'bad-folder',
  severity: 'error',
  line: 1,
  column: 1,
  message,
})

async function fix(path: string, file: string, { files, errors }: LintContext): Promise<void> {
  const fixed = await fixFile(file, files)
  if (!fixed.ok) errors.write(`troupe: ${path} was not fixed: ${fixed.failure.message}\n`)
  else for (const done of fixed.value) errors.write(`fixed ${path}: ${done}\n`)
}

/** Relative for a file in the working folder, otherwise absolute. */
export function pathFrom(file: string, cwd: string): string {
  const below = relative(cwd, file)
  return below === '' || below === '..' || below.startsWith(`..${sep}`) ? file : below
}

/** Rewrites the file atomically, unless it changes meanwhile. @returns the labels of the applied fixes */
export async function fixFile(
  file: string,
  files: Pick<FileSystem, 'realPath' | 'stat' | 'write'>,
): Promise<Result<readonly string[]>> {
  const real = await files.realPath(file)
  if (!real.ok) return real
  const expected = await files.stat(real.value)
  if (!expected.ok) return expected
  const text = readNamedFile({ path: file, file: real.value, within: null, failure: null })
  // The check that follows reports an unreadable file.
  if (!text.ok) return ok([])
  const origin = { stem: stemOf(file), source: file }
  const fixed = fixText(text.value, (now) => readDefinition(now, origin).diagnostics)
  if (fixed.text === text.value) return ok([])
  const written = await files.write(real.value, fixed.text, { real: true, expected: expected.value })
  return written.ok ? ok(fixed.done) : written
}
