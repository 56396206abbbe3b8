/**
 * `troupe agents read`: reads definition files one by one, for users and scripts. Other files are not
 * considered, and the runtime is not loaded.
 */
import type { AgentDefinition, Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import type { Result } from '../../../../shared/kernel/result.ts'
import {
  namedFiles,
  readNamedFile,
  readStream,
  stemOf,
  type UnreadFile,
} from '../../../platform/command-line/named-files.ts'
import { printedLines } from '../../../platform/command-line/printed-lines.ts'
import { EXIT } from '../../../platform/command-line/usage.ts'
import { definitionBlock } from './definition-block.ts'
import type { ReadFilesOptions } from './parse-agents.ts'

export interface ReadContext {
  /** The base of relative paths. */
  readonly cwd: string
  /** Standard input. */
  readonly input: AsyncIterable<Uint8Array>
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}

export interface ReadFile {
  readonly path: string
  readonly definition: AgentDefinition | null
  readonly offered: boolean
  readonly recovered: readonly string[]
  readonly diagnostics: readonly Pick<Diagnostic, 'code' | 'severity' | 'line' | 'column' | 'message'>[]
}

/** @returns the exit code: `failed` if a file has an error */
export async function agentsRead(options: ReadFilesOptions, context: ReadContext): Promise<number> {
  const { cwd, input, output, errors } = context
  const lines = printedLines(output)
  let isFailed = false
  const print = async (read: ReadFile) => {
    isFailed ||= read.diagnostics.some(({ severity }) => severity === 'error')
    lines.add(options.json ? jsonLine(read) : definitionBlock(read))
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

function jsonLine({ path, definition, offered, recovered, diagnostics }: ReadFile): string {
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
