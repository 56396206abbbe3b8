/** `troupe hooks list`, `test`, `approve` and `refuse`: the hooks of a folder. */
import type { Hooks } from '../../../shared/hooks/contract.ts'
import type { FolderHooks, HookEntry, HookEvent, HookState, HookTest } from '../../../shared/hooks/hooks.ts'
import { EXIT, jsonLine, oneLine, type Printing } from '../../platform/command-line/terminal.ts'

export interface HooksContext extends Printing {
  readonly hooks: Hooks
  readonly folder: string
  readonly trusted: boolean
}

const STATES: Readonly<Record<HookState, string>> = {
  on: 'on',
  off: 'off',
  new: 'new, waits for approval',
  changed: 'changed, waits for approval',
  disabled: 'off: disableAllHooks is set',
}

/** The values of `troupe hooks …`. */
export type HooksCommand = { readonly json: boolean } & (
  | { readonly verb: 'hooks-list' }
  /** `number`: the hook's place in the list, from 1. */
  | { readonly verb: 'hooks-approve' | 'hooks-refuse'; readonly number: number }
  | {
      readonly verb: 'hooks-test'
      readonly event: HookEvent
      readonly tool: string
      readonly input: unknown
    }
)

/** @returns the exit code */
export async function hooksCommand(command: HooksCommand, context: HooksContext): Promise<number> {
  const { hooks, folder, output, errors } = context
  const { json } = command
  if (command.verb === 'hooks-test') {
    const tests = await hooks.test(folder, command.event, command)
    for (const test of tests) output.write(json ? jsonLine({ type: 'hook-test', ...test }) : tested(test))
    if (tests.length === 0) errors.write(`No hook that is on matches this ${command.event}.\n`)
    return tests.some(({ failure }) => failure !== null) ? EXIT.failed : EXIT.done
  }
  const state = await hooks.state(folder)
  if (command.verb === 'hooks-list') return list(state, json, context)
  const entry = state.entries[command.number - 1]
  if (entry === undefined) {
    errors.write(`There is no hook ${command.number}. Run: troupe hooks list\n`)
    return EXIT.failed
  }
  const approves = command.verb === 'hooks-approve'
  const done = await hooks.decide(folder, entry.id, approves ? 'approved' : 'refused')
  if (!done.ok) {
    errors.write(`${oneLine(done.failure.message)}\n`)
    return EXIT.failed
  }
  if (json) output.write(jsonLine({ type: 'hook', ...entry, state: approves ? 'on' : 'off' }))
  else
    output.write(
      `${titled(entry)}\n${difference(entry)}${approves ? 'It is approved as it is defined now. A changed definition asks again.' : `It is off. To use it again: troupe hooks approve ${command.number}`}\n`,
    )
  return EXIT.done
}

function list({ entries, problems }: FolderHooks, json: boolean, { output, trusted }: HooksContext): number {
  if (json) {
    for (const entry of entries) output.write(jsonLine({ type: 'hook', ...entry }))
    for (const message of problems) output.write(jsonLine({ type: 'problem', message }))
    return EXIT.done
  }
  entries.forEach((entry, at) => {
    output.write(
      `${at + 1}  ${titled(entry)}\n   ${STATES[entry.state]}  (${oneLine(entry.file ?? entry.sourceText)})\n${difference(entry)}`,
    )
  })
  if (entries.length === 0) output.write('No hooks here.\n')
  for (const problem of problems) output.write(`problem: ${oneLine(problem)}\n`)
  if (!trusted) output.write('This folder is not trusted, so its own hooks were not read. Use --trust.\n')
  return EXIT.done
}

/** The whole command: its end may be what matters. */
const titled = ({ definition: { event, matcher, run } }: HookEntry): string =>
  `${event} ${oneLine(matcher) || '*'}: ${oneLine(run)}`

/** What the user approved before, and what the hook is now. */
const difference = ({ state, former, definition }: HookEntry): string =>
  state === 'changed'
    ? `   before: ${oneLine(JSON.stringify(former))}\n   now:    ${oneLine(JSON.stringify(definition))}\n`
    : ''

function tested({ entry, exitCode, output, answer, failure, durationMs }: HookTest): string {
  const code = exitCode === null ? '' : `exit code ${exitCode}, `
  const lines = [
    titled(entry),
    `  ${code}${durationMs} ms`,
    ...(output === '' ? [] : [`  output: ${oneLine(output)}`]),
    failure === null ? `  answer: ${oneLine(answer) || 'no objection'}` : `  failed: ${oneLine(failure)}`,
  ]
  return `${lines.join('\n')}\n`
}
