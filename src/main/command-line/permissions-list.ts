/** `troupe permissions list`: the permission rules that hold in a folder, with the place of each. */
import type { Result } from '../../shared/result.ts'
import { makeVisible } from '../../shared/visible-text.ts'
import type { FolderRules, WrittenRule } from '../../shared/written-rule.ts'
import { EXIT } from './usage.ts'

export interface ListPermissionsContext {
  readonly rules: FolderRules
  readonly problems: readonly string[]
  readonly trusted: boolean
  readonly output: { write(text: string): void }
}

/**
 * `troupe permissions approve`: says which entries of the folder's local settings count from now on.
 * @returns the exit code
 */
export function permissionsApprove(
  { json }: { readonly json: boolean },
  approved: Result<readonly { readonly list: string; readonly text: string }[]>,
  { output, errors }: { output: { write(text: string): void }; errors: { write(text: string): void } },
): number {
  if (!approved.ok) {
    errors.write(`${approved.failure.message}\n`)
    return EXIT.failed
  }
  if (json) output.write(`${JSON.stringify({ type: 'approved', entries: approved.value })}\n`)
  else if (approved.value.length === 0) output.write('No entry waits for your approval here.\n')
  else for (const { list, text } of approved.value) output.write(`approved ${list} ${makeVisible(text)}\n`)
  return EXIT.done
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
