/** How a run of a program's own subagent ends, as its program says. */
import type { RunEnd } from '../../../runtime/agent-backing.ts'
import type { ChildWork } from './acp-children.ts'

/** `name`: of the subagent. An answer has only what there is to say beside the report. */
export function childEnd(name: string, work: Exclude<ChildWork, { kind: 'running' }>): RunEnd {
  if (work.kind === 'lost') return failed(`The program can’t tell any more what ${name} does.`)
  switch (work.reason) {
    case 'error':
      return failed(work.error ?? `The program says that ${name} failed.`)
    case 'refusal':
      return { kind: 'failed', type: 'refusal', message: `${name} refused to go on.` }
    case 'cancelled':
      return { kind: 'stopped', by: 'agent' }
    case 'max_tokens':
      return answered('[Cut off: it reached its limit of tokens.]')
    case 'max_turn_requests':
      return answered('[Unfinished: it reached its limit of requests.]')
    default:
      return answered('')
  }
}

/** The report with the note that `end` has, if it has one. */
export function withReport(end: RunEnd, report: string): RunEnd {
  if (end.kind !== 'answered') return end
  const texts = [report, end.text].filter((text) => text !== '')
  return { ...end, text: texts.length === 0 ? 'It ended without a message.' : texts.join('\n\n') }
}

const failed = (message: string): RunEnd => ({ kind: 'failed', type: 'worker', message })

const answered = (text: string): RunEnd => ({ kind: 'answered', text, reachedLimit: null })
