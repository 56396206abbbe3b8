/** `troupe permissions list`: the permission rules that hold in a folder, with the place of each. */
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import type { Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { WaitingText } from '../../../shared/kernel/waiting-text.ts'
import type { FolderRules, WrittenRule } from '../../../shared/rules/written-rule.ts'
import { EXIT } from '../../platform/command-line/terminal.ts'
import type { ComposedTexts } from './waiting-texts.ts'

export interface ListPermissionsContext {
  readonly rules: FolderRules
  readonly problems: readonly string[]
  readonly trusted: boolean
  readonly output: { write(text: string): void }
}

export interface ApproveContext {
  readonly folder: string
  /** The entries of the folder's local settings that count from now on. */
  readonly approved: Result<readonly { readonly list: string; readonly text: string }[]>
  readonly texts: ComposedTexts
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}

/**
 * `troupe permissions approve`: says which entries of the folder's local settings count from now on, and approves the
 * texts that wait, after showing what changed in each.
 * @returns the exit code
 */
export async function permissionsApprove(
  { json }: { readonly json: boolean },
  { folder, approved, texts, output, errors }: ApproveContext,
): Promise<number> {
  const failed = (message: string) => {
    errors.write(`${makeVisible(message)}\n`)
    return EXIT.failed
  }
  if (!approved.ok) return failed(approved.failure.message)
  const waiting = await texts.waiting(folder)
  for (const text of waiting) {
    if (!json) output.write(changeOf(text))
    const done = await texts.approve(folder, text)
    if (!done.ok) return failed(done.failure.message)
  }
  if (json) output.write(`${JSON.stringify({ type: 'approved', entries: approved.value, texts: waiting })}\n`)
  else if (approved.value.length + waiting.length === 0)
    output.write('Nothing waits for your approval here.\n')
  else {
    for (const { list, text } of approved.value) output.write(`approved ${list} ${makeVisible(text)}\n`)
    for (const { name } of waiting) output.write(`approved ${makeVisible(name)}\n`)
  }
  return EXIT.done
}

/** The file and its difference; a new one with all its text. */
function changeOf({ name, former, text }: WaitingText): string {
  const shown =
    former === null
      ? text
      : formatPatch(structuredPatch('', '', former, text, '', '', { context: 3 }), OMIT_HEADERS)
  const lines = shown.trimEnd().split('\n').map(makeVisible)
  return `${makeVisible(name)} ${former === null ? 'is new' : 'changed'}:\n${lines.join('\n')}\n`
}

const KINDS = ['deny', 'ask', 'allow'] as const

/** In the order in which rules count. @returns the exit code */
export function permissionsList(
  { json }: { readonly json: boolean },
  { rules, problems, trusted, output }: ListPermissionsContext,
): number {
  if (json) {
    output.write(`${JSON.stringify({ type: 'permissions', trusted, ...rules, problems })}\n`)
    return EXIT.done
  }
  const all = KINDS.flatMap((kind) => rules[kind].map((rule) => [kind, rule] as const))
  const width = Math.max(0, ...all.map(([, { text }]) => text.length))
  const line = (kind: string, { text, where }: WrittenRule) =>
    `${kind.padEnd(6)}${makeVisible(text).padEnd(width)}  ${makeVisible(where)}\n`
  output.write(
    all.length === 0 ? 'No rules hold here.\n' : all.map(([kind, rule]) => line(kind, rule)).join(''),
  )
  for (const folder of rules.additionalDirectories) output.write(`folder ${makeVisible(folder)}\n`)
  for (const problem of problems) output.write(`problem: ${makeVisible(problem)}\n`)
  if (!trusted)
    output.write('The folder is not trusted, so its own settings do not count. Add --trust to see them.\n')
  return EXIT.done
}
