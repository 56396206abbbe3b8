/** The operations of a conversation's tools on its agents. */

import { mergeWork, previewMerge } from '../agent/merge-work.ts'
import { isCommandId } from '../conversation/background-commands.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ConversationActions, TeamActions } from '../tools/tool-registry.ts'
import { taskOutput, taskStop } from './background.ts'
import { setMode } from './control.ts'
import { agentTypeOf } from './prepare-agent.ts'
import { setPhase } from './set-phase.ts'
import { callAgent, runSkill, userRan } from './start-agent.ts'

/** Those of teams are in `teams/create-teams.ts`. */
export function agentActionsOf(conversation: Conversation): Omit<ConversationActions, keyof TeamActions> {
  return {
    startAgent: (call, context) => callAgent(conversation, call, context),
    agentType: (call, context) => agentTypeOf(conversation, call, context),
    runSkill: (skill, task, context) => runSkill(conversation, skill, { task, context }),
    ranByUser: (skill, agentId) => userRan(conversation, skill, agentId),
    switchModel: (model, agentId) => {
      const agent = conversation.agents.get(agentId)?.agent
      if (!agent) return
      const id = conversation.ports.models.resolve(model, agent.state().model)
      if (id !== agent.state().model) agent.emit({ type: 'model-changed', model: id, forTurn: true })
    },
    startCommand: (call, context) => conversation.commands.start(call, context),
    readTask: (call, context) =>
      isCommandId(call.task_id)
        ? conversation.commands.read(call, context)
        : taskOutput(conversation, call, context),
    stopTask: (call, context) =>
      isCommandId(call.task_id)
        ? conversation.commands.stopByAgent(call, context)
        : taskStop(conversation, call, context),
    previewMerge: (call, context) => previewMerge(conversation, call, context),
    mergeWork: (call, context) => mergeWork(conversation, call, context),
    setPhase: (call) => setPhase(conversation, call),
    permissionModeOf: (agentId) => conversation.agents.state(agentId)?.permissionMode ?? 'default',
    leavePlanMode: (mode) => {
      setMode(conversation, mode)
    },
  }
}
