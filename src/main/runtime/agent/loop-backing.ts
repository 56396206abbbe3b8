/** The default backing: the loop of this runtime. */

import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import type { AgentRun } from '../loop/agent-run.ts'
import { runAgent } from '../loop/run-agent.ts'
import type { AgentBacking } from '../ports/agent-backing.ts'
import { limitFor, waitsForOthers } from './spend-limit.ts'

export function createLoopBacking(agent: LiveAgent, conversation: Conversation): AgentBacking {
  let hurry = new AbortController()
  const run = agentRunOf(agent, conversation, () => hurry.signal)
  return {
    name: 'loop',
    reserve: (signal) => agent.slot.acquire(signal),
    start: (signal) => runAgent({ agent: run, deps: conversation.loop, signal }),
    send() {
      // The loop takes queued messages before each request.
    },
    pause: (paused) => {
      agent.transcript.emit({ type: 'pause-changed', paused })
    },
    changed() {
      // The loop reads the state before each request.
    },
    answer: (requestId, answer) => agent.requests.answer(requestId, answer),
    answerForm: (formId, answer) => agent.forms.answer(formId, answer),
    attempts: {
      retry() {
        const hurried = hurry
        hurry = new AbortController()
        hurried.abort()
      },
    },
    program: null,
    job: null,
  }
}

/** The agent as the loop sees it. */
export function agentRunOf(agent: LiveAgent, conversation: Conversation, hurry: AgentRun['hurry']): AgentRun {
  const { transcript, prompt, slot, requests, forms, session } = agent
  const { id, history } = transcript
  return {
    id,
    history,
    session,
    get system() {
      return prompt.system
    },
    get toolSchemas() {
      return prompt.toolSchemas
    },
    get tools() {
      return prompt.tools
    },
    get blockedTools() {
      return prompt.blockedTools
    },
    get readOnly() {
      return transcript.state().definition.readOnly
    },
    whyNoTool: (name) => prompt.whyNoTool(name),
    subject: () => agent.subject(),
    reach: agent.reach,
    state: () => transcript.state(),
    emit: (draft) => transcript.emit(draft),
    live: (event) => transcript.live(event),
    flush: (signal) => transcript.flush(signal),
    touched: (path) => prompt.touched(path),
    announceChanges: (options) => prompt.announceChanges(options),
    loadTools: (names) => prompt.loadTools(names),
    cacheFor: () => (waitsForOthers(conversation, id) ? '1h' : '5m'),
    limitReached: () => limitFor(conversation, id),
    takeInMessages() {
      const taken = transcript.takeMessages()
      // A note starts no run, and a paused turn must resume unchanged.
      if (history.awaitsAnswer) for (const note of agent.notes.splice(0)) transcript.tell(note)
      return taken.length > 0
    },
    takeCompaction() {
      const wanted = agent.wantedCompaction
      agent.wantedCompaction = null
      return wanted
    },
    ask: (request, until) => requests.askOrSettle(request, until),
    askForm: (request, signal) => forms.ask(request, signal),
    toBackground: (toolUseId, work) => conversation.commands.adopt(id, toolUseId, work),
    acquireSlot: (signal) => slot.acquire(signal),
    beginLimitWait: () => slot.beginLimitWait(),
    callStarted: () => slot.callStarted(),
    callEnded: () => slot.callEnded(),
    mode: () => transcript.state(),
    hurry,
    outputFolder: conversation.file.outputFolder(id),
    keepOutput: (toolUseId, output) => conversation.file.keepOutput(id, toolUseId, output),
  }
}
