/** `troupe permissions test 'Bash(npm test)'`: whether a call is allowed, asked or denied, and by which rule. */

import type { Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { PermissionMode } from '../../../shared/permissions/permission-modes.ts'
import type {
  AgentCallExplanation,
  CallQuestion,
  ExplainedCall,
} from '../../../shared/rules/call-explanation.ts'
import { EXIT } from '../../platform/command-line/terminal.ts'

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

interface ExplainPermissionContext {
  readonly folder: string
  readonly testCall: (question: CallQuestion) => Promise<Result<AgentCallExplanation>>
  /** The mode of new conversations here. */
  readonly userMode: PermissionMode
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}

/**
 * @returns the exit code. `explain`: `done`, or `failed` if the agent or the tool does not exist. `test`: the decision's,
 *   or `usage`.
 */
export async function permissionsExplain(
  { verb, call, agent, mode, json }: ExplainPermission,
  { folder, userMode, testCall, output, errors }: ExplainPermissionContext,
): Promise<number> {
  const tests = verb === 'permissions-test'
  const found = await testCall({ call, folder, agent: agent ?? 'main', mode: mode ?? userMode })
  if (!found.ok) {
    errors.write(`troupe: ${makeVisible(found.failure.message)}\n`)
    return tests ? EXIT.usage : EXIT.failed
  }
  output.write(json ? `${JSON.stringify({ type: 'permission', ...found.value })}\n` : textOf(found.value))
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
