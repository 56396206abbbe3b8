/** `troupe permissions test 'Bash(npm test)'`: whether a call is allowed, asked or denied, and by which rule. */

import type { Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { PermissionMode } from '../../../shared/permissions/permission-modes.ts'
import type {
  AgentCallExplanation,
  CallQuestion,
  ExplainedCall,
} from '../../../shared/rules/call-explanation.ts'
import { EXIT } from '../../platform/command-line/usage.ts'
import type { ExplainPermission } from './parse-permissions.ts'

export interface ExplainPermissionContext {
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
  { call, agent, mode, json, tests }: ExplainPermission,
  { folder, userMode, testCall, output, errors }: ExplainPermissionContext,
): Promise<number> {
  const found = await testCall({ call, folder, agent, mode: mode ?? userMode })
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
