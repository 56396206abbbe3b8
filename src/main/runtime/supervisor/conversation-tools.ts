/** The tools that reach other agents of a conversation. */
import { createMergeWorktreeTool } from '../tools/merge-worktree.ts'
import { createSendMessageTool } from '../tools/send-message.ts'
import { createTaskOutputTool } from '../tools/task-output.ts'
import { createTaskStopTool } from '../tools/task-stop.ts'
import type { AgentToolsDeps } from './agent-tools.ts'
import { taskOutput, taskStop } from './background.ts'
import type { Conversation } from './conversation.ts'
import { mergeWork, previewMerge } from './merge-work.ts'
import { sendMessage } from './say.ts'
import { callAgent } from './start-agent.ts'

/** For the agents of this conversation. */
export function toolsFor(
  conversation: Conversation,
): Pick<AgentToolsDeps, 'conversationTools' | 'startAgent'> {
  return {
    conversationTools: [
      createSendMessageTool({ send: (call, context) => sendMessage(conversation, call, context) }),
      createTaskOutputTool({ read: (call, context) => taskOutput(conversation, call, context) }),
      createMergeWorktreeTool({
        preview: (call, context) => previewMerge(conversation, call, context),
        merge: (call, context) => mergeWork(conversation, call, context),
      }),
      createTaskStopTool({ stop: (call, context) => taskStop(conversation, call, context) }),
    ],
    startAgent: (call, context) => callAgent(conversation, call, context),
  }
}

/** The names of all tools that reach other agents, Agent itself among them. */
export const conversationToolNames: readonly string[] = [
  'SendMessage',
  'TaskOutput',
  'MergeWorktree',
  'TaskStop',
  'Agent',
]
