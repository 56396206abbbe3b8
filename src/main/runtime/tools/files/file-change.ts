/**
 * A change of one file, from the preview to the write. The change is planned twice: for the permission request, and
 * again when the call runs, since the file may have changed.
 */

import { contentDigest } from '../../../../shared/kernel/content-digest.ts'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import type { FileSystem } from '../../ports/files.ts'
import type { PermissionTarget, Tool, ToolContext, ToolOutcome } from '../../ports/tool.ts'
import { toolError } from '../../ports/tool.ts'
import { absolutePath, realPathFor, shownPath } from '../tool-path.ts'
import { diffNote, fileDiff } from './file-diff.ts'
import { type KnownFile, knownFile, rememberFile } from './known-file.ts'
import { encodeText, plainFormat, type TextFormat } from './text-format.ts'

/** In characters. A permission request shows everything a model can write; a transcript keeps less. */
const LONGEST_PREVIEW = 1024 * 1024
const LONGEST_DISPLAY = 200 * 1024

/** The new text of a file, and the result for the model. */
export interface PlannedText {
  readonly text: string
  readonly format: TextFormat
  /** A sentence or two. */
  readonly done: string
  /** The part that people see as a difference, where the whole file says little. */
  readonly shownAs?: { readonly before: string | null; readonly after: string | null }
}

/** Decides on the new text. `before` is null for a new file; `shown` is the path for people. */
type Planner<Input> = (input: Input, before: KnownFile | null, shown: string) => Result<PlannedText>

/** What the tools that change a file have in common. */
interface FileChange<Input>
  extends Pick<Tool<Input>, 'kind' | 'ignoredFields' | 'concurrent' | 'sideEffects' | 'summary'> {
  target(input: Input, context: ToolContext): Promise<PermissionTarget>
  run(input: Input, context: ToolContext): Promise<ToolOutcome>
}

interface Plan extends PlannedText {
  readonly real: string
  readonly shown: string
  readonly before: KnownFile | null
  readonly bytes: Uint8Array
}

export function createFileChange<Input extends object>(
  files: FileSystem,
  planner: Planner<Input>,
  pathOf: (input: Input) => string,
): FileChange<Input> {
  /** Calls that failed in planning: the user is not asked, and they stay refused even if the files change meanwhile. */
  const refused = new WeakMap<Input, ToolOutcome>()

  async function plan(input: Input, context: ToolContext): Promise<Result<Plan>> {
    const { session } = context
    const shown = shownPath(absolutePath(pathOf(input), session), session)
    const real = await realPathFor(pathOf(input), files, context)
    if (!real.ok) return real
    const before = await knownFile(files, session, { real: real.value, shown })
    if (!before.ok) return before
    const planned = planner(input, before.value, shown)
    if (!planned.ok) return planned
    const bytes = encodeText(planned.value.text, planned.value.format)
    if (!bytes.ok) return bytes
    return ok({ ...planned.value, real: real.value, shown, before: before.value, bytes: bytes.value })
  }

  return {
    kind: 'edit',
    ignoredFields: ['description', 'explanation'],
    concurrent: false,
    sideEffects: () => true,
    summary: (input, session) => shownPath(absolutePath(pathOf(input), session), session),
    target: async (input, context) => {
      const planned = await plan(input, context)
      if (!planned.ok) {
        refused.set(input, toolError(planned.failure.message, noteFor(planned.failure.type)))
        return { kind: 'none' }
      }
      const { patch } = diffOf(planned.value, LONGEST_PREVIEW)
      return {
        kind: 'write',
        path: absolutePath(pathOf(input), context.session),
        preview: patch,
      }
    },
    run: async (input, context) => {
      const earlier = refused.get(input)
      if (earlier) return earlier
      const planned = await plan(input, context)
      if (!planned.ok) return toolError(planned.failure.message, noteFor(planned.failure.type))
      return write(planned.value, files, context)
    },
  }
}

async function write(plan: Plan, files: FileSystem, { session }: ToolContext): Promise<ToolOutcome> {
  const { before, real, shown, bytes } = plan
  if (before !== null && isSame(before.bytes, bytes))
    return {
      isError: false,
      content: `${shown} already has exactly this content. Nothing was written.`,
      note: 'no change',
    }
  const expected = before === null ? { expected: null } : { expected: before.stat, was: before.bytes }
  const written = await files.write(real, bytes, { real: true, ...expected })
  if (!written.ok) return toolError(writeFailureText(shown, written.failure), 'not written')
  const seen = rememberFile(session, { real, stat: written.value, bytes })
  const diff = diffOf(plan, LONGEST_DISPLAY)
  return {
    isError: false,
    content: plan.done,
    note: diffNote(diff),
    display: { kind: 'diff', path: shown, ...diff, created: before === null },
    seen,
  }
}

function diffOf({ before, text, shownAs }: Plan, longest: number) {
  return shownAs === undefined
    ? fileDiff(before?.text ?? null, text, longest)
    : fileDiff(shownAs.before, shownAs.after, longest)
}

/** The format of a new file, or that of the one it replaces. */
export function formatOf(before: KnownFile | null): TextFormat {
  return before?.format ?? plainFormat
}

function writeFailureText(
  shown: string,
  { type, message }: { readonly type: string; readonly message: string },
): string {
  if (type === 'changed')
    return `${shown} was changed by another program during the write. Nothing was written. Read it again, then make your change.`
  return message
}

function noteFor(type: string): string {
  return NOTES[type] ?? 'failed'
}

const NOTES: Readonly<Record<string, string>> = {
  unread: 'not read yet',
  changed: 'changed meanwhile',
  moved: 'path changed',
  'not-found': 'not found',
  several: 'several places',
  same: 'no change',
  exists: 'exists already',
  denied: 'no access',
  binary: 'not text',
  'is-folder': 'a folder',
  'not-notebook': 'not a notebook',
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  const digest = contentDigest(one)
  if (digest !== undefined) return digest === contentDigest(other)
  return one.every((byte, index) => byte === other[index])
}
