/** Calls tools as the loop does, in a temporary folder: input checked, permission asked, then run. */

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FormAnswer } from '../../../../shared/forms/form.ts'
import { fail } from '../../../../shared/kernel/result.ts'
import { textOf } from '../../../../shared/messages/text-of.ts'
import type { ModelFailure } from '../../../runtime/ports/model.ts'
import type {
  AnyTool,
  PermissionTarget,
  ToolContext,
  ToolOutcome,
  ToolSession,
} from '../../../runtime/ports/tool.ts'
import { parseInput } from '../../../runtime/tools/parse-input.ts'

interface Called extends ToolOutcome {
  readonly target: PermissionTarget | null
  readonly text: string
}

export interface CallOptions {
  readonly session?: ToolSession
  readonly signal?: AbortSignal
  readonly onOutput?: (text: string) => void
  readonly hides?: ToolContext['hides']
  /** Runs between the permission request and the call, while the user decides. */
  readonly meanwhile?: () => void
}

export interface ToolBench {
  readonly folder: string
  readonly session: ToolSession
  path(...names: string[]): string
  lay(files: Readonly<Record<string, string | Uint8Array>>): void
  text(path: string): string
  newSession(): ToolSession
  call(tool: AnyTool, raw: unknown, options?: CallOptions): Promise<Called>
  clear(): void
}

/** `realPath` resolves links for the permission check. */
export function createToolBench(
  realPath: (path: string) => Promise<{ ok: boolean; value?: string }>,
): ToolBench {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-tools-')))
  const newSession = (): ToolSession => ({
    root: folder,
    project: folder,
    worktree: null,
    cwd: folder,
    readFolders: new Set(),
    seen: new Map(),
  })
  const own = newSession()
  const path = (...names: string[]) => join(folder, ...names)
  return {
    folder,
    session: own,
    path,
    newSession,
    lay: (files) => {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(path(name)), { recursive: true })
        writeFileSync(path(name), content)
      }
    },
    text: (name) => readFileSync(path(name), 'utf8'),
    clear: () => rmSync(folder, { recursive: true, force: true }),
    call: async (tool, raw, options = {}) => {
      const parsed = parseInput(tool, raw)
      if (!parsed.ok)
        return { isError: true, content: '', note: 'bad input', target: null, text: parsed.failure.message }
      const input: unknown = parsed.value.input
      const { session = own, signal = new AbortController().signal, onOutput = () => {} } = options
      const context = {
        agentId: 'a',
        toolUseId: 't',
        session,
        signal,
        onOutput,
        askForm: noForm,
        askModel: noModel,
      }
      const target = (await tool.target?.(input, context)) ?? null
      const approved = target !== null && 'path' in target ? await realPath(target.path) : null
      options.meanwhile?.()
      const outcome = await tool.run(input, {
        ...context,
        ...(options.hides === undefined ? {} : { hides: options.hides }),
        ...(approved?.value === undefined ? {} : { approvedRealPath: approved.value }),
      })
      return { ...outcome, target, text: textOf(outcome.content) }
    },
  }
}

/** Nobody answers forms here. */
const unasked: ModelFailure = { type: 'auth', message: 'No model.', status: null, retryAfterMs: null }
export const noModel: ToolContext['askModel'] = async () => fail(unasked)

export const noForm = async (): Promise<FormAnswer> => ({ action: 'cancel', reason: 'unattended' })
