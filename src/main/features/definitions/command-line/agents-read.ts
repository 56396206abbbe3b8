/**
 * `troupe agents read`: reads definition files one by one, for users and scripts. Other files are not
 * considered, and the runtime is not loaded.
 */

import type { CatalogEntry } from '../../../../shared/agent-definition/agent-catalog.ts'
import type { AgentDefinition, Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import type { Result } from '../../../../shared/kernel/result.ts'
import { EXIT, oneLine, type Printing, printedLines } from '../../../platform/command-line/terminal.ts'
import { namedFiles, readNamedFile, readStream, stemOf, type UnreadFile } from './named-files.ts'

export interface ReadContext extends Printing {
  /** The base of relative paths. */
  readonly cwd: string
  /** Standard input. */
  readonly input: AsyncIterable<Uint8Array>
}

export interface ReadFile {
  readonly path: string
  readonly definition: AgentDefinition | null
  readonly offered: boolean
  readonly recovered: readonly string[]
  readonly diagnostics: readonly Pick<Diagnostic, 'code' | 'severity' | 'line' | 'column' | 'message'>[]
}

/** @returns the exit code: `failed` if a file has an error */
export async function agentsRead(
  options: {
    /** Files, folders, and `-` for standard input. */
    readonly files: readonly string[]
    /** The file name for standard input. */
    readonly stem: string | null
    readonly json: boolean
  },
  context: ReadContext,
): Promise<number> {
  const { cwd, input, output, errors } = context
  const lines = printedLines(output)
  let isFailed = false
  const print = async (read: ReadFile) => {
    isFailed ||= read.diagnostics.some(({ severity }) => severity === 'error')
    lines.add(options.json ? readJson(read) : definitionBlock(read))
    await lines.pause()
  }
  for (const word of options.files) {
    if (word === '-') {
      await print(readText(await readStream(input), { path: '-', stem: options.stem ?? 'stdin' }))
      continue
    }
    const files = namedFiles([word], cwd)
    if (files.length === 0) errors.write(`troupe: ${word} has no *.md files.\n`)
    for (const file of files)
      await print(readText(readNamedFile(file), { path: file.path, stem: stemOf(file.path) }))
  }
  lines.end()
  return isFailed ? EXIT.failed : EXIT.done
}

/** Reads the text of a file. An unreadable file becomes a diagnostic. */
export function readText(
  text: Result<string, UnreadFile>,
  { path, stem }: { readonly path: string; readonly stem: string },
): ReadFile {
  if (text.ok)
    return { path, ...readDefinition(text.value, { stem, source: path === '-' ? 'standard input' : path }) }
  const { type, message, line, column } = text.failure
  return {
    path,
    definition: null,
    offered: false,
    recovered: [],
    diagnostics: [{ code: type, severity: 'error', line, column, message }],
  }
}

/** In the order of the output. */
const FIELDS = [
  'name',
  'description',
  'tools',
  'disallowedTools',
  'model',
  'color',
  'permissionMode',
  'forkContext',
  'background',
  'isolation',
  'carryOver',
  'memory',
  'skills',
  'maxTurns',
  'effort',
  'thinking',
  'mcpServers',
  'hooks',
  'initialPrompt',
  'reminder',
  'omitProjectInstructions',
  'readOnly',
  'oneShot',
  'aliases',
  'hidden',
  'prompt',
] as const satisfies readonly (keyof AgentDefinition)[]

function readJson({ path, definition, offered, recovered, diagnostics }: ReadFile): string {
  const fields = Object.fromEntries(FIELDS.map((key) => [key, definition === null ? null : definition[key]]))
  return JSON.stringify({
    path,
    agent: definition !== null,
    offered,
    ...fields,
    // A published key: scripts read it.
    rescued: recovered,
    diagnostics: diagnostics.map(({ code, severity, line, column, message }) => ({
      code,
      severity,
      line,
      column,
      message,
    })),
  })
}

export type ReportedProblem = Pick<Diagnostic, 'code' | 'severity' | 'line' | 'column' | 'message'>

interface Block {
  readonly path: string
  readonly definition: AgentDefinition | null
  readonly offered: boolean
  readonly diagnostics: readonly ReportedProblem[]
}

/** `path:line:column severity message (code)`, which editors and terminals turn into a link. */
export function problemLine(
  path: string,
  { code, severity, line, column, message }: ReportedProblem,
): string {
  return oneLine(`${path}:${line}:${column} ${severity} ${message} (${code})`)
}

/** Ends with an empty line but no final line break, which the printer adds. */
function definitionBlock({ path, definition, offered, diagnostics }: Block): string {
  const problems = diagnostics.map((problem) => problemLine(path, problem))
  const state = definition === null ? ': not an agent' : offered ? '' : ': not in use'
  const fields = definition === null ? [] : fieldLines(definition)
  return `${[oneLine(`${path}${state}`), ...fields, ...problems].join('\n')}\n`
}

/** The fields that are set, and the most important ones even if unset. */
function fieldLines(definition: AgentDefinition): readonly string[] {
  const { name, description, prompt, tools, disallowedTools, model, ...others } = definition
  const rows: readonly (readonly [string, string])[] = [
    ['name', name],
    ['description', description],
    ['tools', tools === null || tools.includes('*') ? 'all' : tools.join(', ') || 'none'],
    ...(disallowedTools.length > 0 ? [['disallowedTools', disallowedTools.join(', ')] as const] : []),
    ['model', model],
    ...Object.entries(others).flatMap(([key, value]) => {
      const isUnset = value === null || value === false || (Array.isArray(value) && value.length === 0)
      return isUnset ? [] : [[key, valueText(value)] as const]
    }),
    ['prompt', prompt === '' ? 'empty' : `${prompt.split('\n').length} lines, ${prompt.length} characters`],
  ]
  const width = Math.max(...rows.map(([key]) => key.length))
  return rows.map(([key, value]) => `  ${key.padEnd(width)}  ${oneLine(value, 200)}`)
}

function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** An agent of `--json` with the keys and values of version 0.1.0, which scripts read. The program itself uses newer names. */
export function publishedAgent<
  Origin,
  A extends {
    readonly state: CatalogEntry['state']
    readonly shadowedBy: Origin
    readonly content?: CatalogEntry['content']
  },
>({ state, shadowedBy, content: _, ...agent }: A) {
  return { ...agent, state: state === 'shadowed' ? 'overridden' : state, overriddenBy: shadowedBy }
}

/** The code of a diagnostic. */
export const publishedCode = (code: string): string => (code === 'shadowed' ? 'overridden' : code)
