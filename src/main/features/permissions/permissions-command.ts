/** `troupe permissions …` and `troupe trust …`: whether a call is allowed, the rules of a folder, and what the user approves. */

import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import type { Dispatch } from '../../../shared/ipc/handlers.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { WaitingText } from '../../../shared/kernel/waiting-text.ts'
import type { PermissionMode } from '../../../shared/permissions/permission-modes.ts'
import type { AgentCallExplanation, ExplainedCall } from '../../../shared/rules/call-explanation.ts'
import type { WrittenRule } from '../../../shared/rules/written-rule.ts'
import { EXIT, jsonLine, oneLine, type Printing } from '../../platform/command-line/terminal.ts'

/** The values of `troupe permissions test` and `explain`. */
interface ExplainPermission {
  /** For `test` the exit code is the decision. */
  readonly verb: 'permissions-test' | 'permissions-explain'
  /** `Bash(npm test)` */
  readonly call: string
  /** Null: the main agent. */
  readonly agent: string | null
  /** Null: the mode of new conversations. */
  readonly mode: PermissionMode | null
  readonly json: boolean
}

interface ExplainPermissionContext extends Printing {
  readonly folder: string
  readonly dispatch: Dispatch<'rules.test'>
  /** The mode of new conversations here. */
  readonly userMode: PermissionMode
}

/**
 * @returns the exit code. `explain`: `done`, or `failed` if the agent or the tool does not exist. `test`: the decision's,
 *   or `usage`.
 */
export async function permissionsExplain(
  { verb, call, agent, mode, json }: ExplainPermission,
  { folder, userMode, dispatch, output, errors }: ExplainPermissionContext,
): Promise<number> {
  const tests = verb === 'permissions-test'
  const found = await dispatch({
    type: 'rules.test',
    ...{ call, folder, agent: agent ?? 'main', mode: mode ?? userMode },
  })
  if (!found.ok) {
    errors.write(`troupe: ${makeVisible(found.failure.message)}\n`)
    return tests ? EXIT.usage : EXIT.failed
  }
  output.write(json ? jsonLine({ type: 'permission', ...found.value }) : textOf(found.value))
  return tests ? TEST_EXIT[found.value.decision] : EXIT.done
}

/** Exit codes of `test`, for scripts. */
const TEST_EXIT: Readonly<Record<ExplainedCall['decision'], number>> = { allow: 0, deny: 1, ask: 3 }

const WORDS: Readonly<Record<ExplainedCall['decision'], string>> = {
  allow: 'allowed',
  ask: 'asked',
  deny: 'denied',
}

function textOf({ tool, text, mode, agent, parts, ...whole }: AgentCallExplanation): string {
  const line = (call: ExplainedCall, name: string, indent: string) => {
    const remedy = call.remedy === null ? '' : ` ${call.remedy}`
    return `${indent}${WORDS[call.decision].padEnd(7)}  ${makeVisible(name)}\n${indent}         ${makeVisible(`${call.because}${remedy}`)}\n`
  }
  return [
    line(whole, text === '' ? tool : `${tool}(${text})`, ''),
    ...parts.map((part) => line(part, part.text, '  ')),
    `agent: ${agent}, mode: ${mode}\n`,
  ].join('')
}

interface ListPermissionsContext extends Printing {
  readonly folder: string
  readonly trusted: boolean
  readonly dispatch: Dispatch<'rules.list'>
}

interface ApproveContext extends Printing {
  readonly folder: string
  /** The entries of the folder's local settings that count from now on. */
  readonly approved: Result<readonly { readonly list: string; readonly text: string }[]>
  readonly dispatch: Dispatch<`texts.${'waiting' | 'approve'}`>
}

/**
 * `troupe permissions approve`: says which entries of the folder's local settings count from now on, and approves the
 * texts that wait, after showing what changed in each.
 * @returns the exit code
 */
export async function permissionsApprove(
  { json }: { readonly json: boolean },
  { folder, approved, dispatch, output, errors }: ApproveContext,
): Promise<number> {
  const failed = (message: string) => {
    errors.write(`${makeVisible(message)}\n`)
    return EXIT.failed
  }
  if (!approved.ok) return failed(approved.failure.message)
  const listed = await dispatch({ type: 'texts.waiting', folder })
  if (!listed.ok) return failed(listed.failure.message)
  const waiting = listed.value
  for (const text of waiting) {
    if (!json) output.write(changeOf(text))
    const { path, digest } = text
    const done = await dispatch({ type: 'texts.approve', folder, path, digest })
    if (!done.ok) return failed(done.failure.message)
  }
  if (json) output.write(jsonLine({ type: 'approved', entries: approved.value, texts: waiting }))
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
export async function permissionsList(
  { json }: { readonly json: boolean },
  { folder, trusted, dispatch, output, errors }: ListPermissionsContext,
): Promise<number> {
  const listed = await dispatch({ type: 'rules.list', folder })
  if (!listed.ok) {
    errors.write(`troupe: ${makeVisible(listed.failure.message)}\n`)
    return EXIT.failed
  }
  const { held: rules, problems } = listed.value
  if (json) {
    output.write(jsonLine({ type: 'permissions', trusted, ...rules, problems }))
    return EXIT.done
  }
  const all = KINDS.flatMap((kind) => rules[kind].map((rule) => [kind, rule] as const))
  const width = Math.max(0, ...all.map(([, { text }]) => text.length))
  const line = (kind: string, { text, where }: WrittenRule) =>
    `${kind.padEnd(6)}${makeVisible(text).padEnd(width)}  ${makeVisible(where)}\n`
  output.write(
    all.length === 0 ? 'No rules hold here.\n' : all.map(([kind, rule]) => line(kind, rule)).join(''),
  )
  for (const added of rules.additionalDirectories) output.write(`folder ${makeVisible(added)}\n`)
  for (const problem of problems) output.write(`problem: ${makeVisible(problem)}\n`)
  if (!trusted)
    output.write('The folder is not trusted, so its own settings do not count. Add --trust to see them.\n')
  return EXIT.done
}

interface TrustContext extends Printing {
  /** The trusted folders. */
  readonly folders: readonly string[]
  /** The folder of `add` and `revoke`, links resolved. A folder to revoke may be gone. */
  readonly folder: string
  /** Whether a folder is trusted now, by itself or through a folder around it. */
  readonly isTrusted: (folder: string) => boolean
  readonly dispatch: Dispatch<'folder.trust'>
}

/** The values of `troupe trust …`. */
export type TrustCommand = { readonly json: boolean } & (
  | { readonly verb: 'trust-list' }
  /** `folder`: as given; null: the current one. */
  | { readonly verb: 'trust-add' | 'trust-revoke'; readonly folder: string | null }
)

/** @returns the exit code */
export async function trustCommand({ verb, json }: TrustCommand, context: TrustContext): Promise<number> {
  const { folders, folder, isTrusted, dispatch, output, errors } = context
  const complain = (message: string): number => {
    errors.write(`troupe: ${oneLine(message)}\n`)
    return EXIT.failed
  }
  if (verb === 'trust-list') {
    for (const path of folders)
      output.write(json ? jsonLine({ type: 'trusted-folder', path }) : `${oneLine(path)}\n`)
    if (folders.length === 0 && !json)
      output.write('No folder is trusted. To trust this one: troupe trust add\n')
    return EXIT.done
  }
  const trusted = verb === 'trust-add'
  if (!trusted && !folders.includes(folder))
    return complain(
      isTrusted(folder)
        ? `${folder} is trusted because a folder around it is. See troupe trust list, and revoke that one.`
        : `${folder} is not trusted, so nothing was changed.`,
    )
  const done = await dispatch({ type: 'folder.trust', path: folder, trusted })
  if (!done.ok) return complain(done.failure.message)
  if (json) output.write(jsonLine({ type: verb, path: folder }))
  else
    output.write(
      trusted
        ? `${oneLine(folder)} and the folders in it are trusted. Hooks and MCP servers of it still need your approval, each once.\n`
        : `${oneLine(folder)} is not trusted any more. Nothing of it is used until you trust it again.\n`,
    )
  return EXIT.done
}
