/** How a run of an external agent fails, as its process says. */
import { describeProgram } from '../../../../shared/agent-definition/program-of.ts'
import type { DefinitionSnapshot } from '../../../../shared/events/agent-event.ts'
import { writeProgramFailure } from '../../../../shared/external-agents/program-failure.ts'
import { failed } from '../../../platform/acp/turn-end.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import type { RunEnd } from '../../../runtime/ports/run-end.ts'
import type { AcpProcess } from './acp-process.ts'

/** ms in which a process whose pipe has closed mostly ends, which says more than the error of the pipe. */
const SOON = 300

/**
 * A failure with what the program said last, and what to do. A process that runs on is left alone: other sessions may
 * use it.
 *
 * @param why what happened, for a process that runs on
 */
export async function explainedFailure(
  process: AcpProcess,
  why: string,
  { definition, clock }: { readonly definition: DefinitionSnapshot; readonly clock: Clock },
): Promise<RunEnd> {
  const runs = clock.sleep(SOON, new AbortController().signal).then(() => 'runs' as const)
  const code = await Promise.race([process.ended, ...(process.problem() === null ? [runs] : [])])
  const { program, name } = definition
  const line = program === undefined ? name : describeProgram(program)
  const what =
    process.problem() ??
    (code === 'runs'
      ? process.withoutSecrets(why)
      : code === 127
        ? `The command ${program?.command ?? name} was not found. Install it, or correct command in its definition.`
        : code === null
          ? 'It was ended by a signal, or could not be started.'
          : `It ended with the exit code ${code} before its work was done.`)
  const output = process.lastErrors()
  const tryCommand = code === 127 ? null : line
  return failed(writeProgramFailure({ what: `${name} failed. ${what}`, output, tryCommand }))
}
