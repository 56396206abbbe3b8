/** Answers for calls that will never have one, so that the history stays valid for the API. */
import type { OpenCall } from '../loop/history.ts'
import type { LiveAgent } from './live-agent.ts'

/** Closes every open call of an agent that was stopped, or whose process died. */
export function closeCalls(agent: LiveAgent, why: 'stopped' | 'interrupted'): void {
  for (const open of agent.history.openCalls())
    agent.emit({
      type: 'tool-ended',
      toolUseId: open.call.id,
      name: open.call.name,
      isError: true,
      content: wordsFor(open, why),
      note: why,
      durationMs: 0,
      display: null,
      outputFile: null,
    })
}

function wordsFor({ started }: OpenCall, why: 'stopped' | 'interrupted'): string {
  if (started === 'no') return `Not run: the agent was ${why} before.`
  if (why === 'stopped') return 'This was stopped by the user before it finished.'
  return started === 'with-side-effects'
    ? 'Interrupted: the program ended while this ran, and whether it had its effect is unknown. Look before you do it again.'
    : 'Interrupted: the program ended while this ran. Run it again if you still need it.'
}
