/** The operations of a conversation's tools on its agents. */
import type { ConversationActions } from '../tools/tool-registry.ts'
import { taskOutput, taskStop } from './background.ts'
import type { Conversation } from './conversation.ts'
import { mergeWork, previewMerge } from './merge-work.ts'
import { relayMessage } from './relay-message.ts'
import { sendMessage } from './send-message.ts'
import { setPhase } from './set-phase.ts'
import { callAgent } from './start-agent.ts'

export function actionsOf(conversation: Conversation): ConversationActions {
  return {
    startAgent: (call, context) => callAgent(conversation, call, context),
    sendMessage: (call, context) =>
      conversation.relay === null
        ? sendMessage(conversation, call, context)
        : relayMessage(conversation, conversation.relay, { call, context }),
    readTask: (call, context) => taskOutput(conversation, call, context),
    stopTask: (call, context) => taskStop(conversation, call, context),
    previewMerge: (call, context) => previewMerge(conversation, call, context),
    mergeWork: (call, context) => mergeWork(conversation, call, context),
    setPhase: (call) => setPhase(conversation, call),
  }
}
