/** Tells an agent that somebody else gave it a task, or took one from it. */
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { queueMessage } from '../run/send-message.ts'
import type { TaskActor } from './task-rules.ts'

/** @returns whether an agent was told. An agent that gets a task is resumed; one that loses a task only if it works. */
export async function tellOwner(
  conversation: Conversation,
  { before, after }: { readonly before: TeamTask; readonly after: TeamTask },
  actor: TaskActor,
): Promise<boolean> {
  const by = actor.agentId === null ? 'The user' : 'The leader'
  const task = `task ${after.id} (${after.subject})`
  const had = before.status === 'in_progress' ? before.owner : null
  const has = after.status === 'in_progress' ? after.owner : null
  if (had === has) return false
  let isTold = false
  if (had !== null && had !== actor.agentId && conversation.agents.get(had)?.isRunning) {
    const what = {
      pending: 'is no longer yours',
      in_progress: 'is another agent’s now',
      completed: 'is completed',
      canceled: 'is canceled',
    }[after.status]
    isTold = await tell(conversation, had, `${by} changed ${task}: it ${what}. Stop working on it.`)
  }
  if (has !== null && has !== actor.agentId) {
    const text = `${by} gave you ${task}. It is claimed for you: do it, and set it to "completed".${after.description === '' ? '' : `\n${after.description}`}`
    isTold = await tell(conversation, has, text)
  }
  return isTold
}

async function tell(conversation: Conversation, agentId: string, text: string): Promise<boolean> {
  const content = [{ type: 'text' as const, text }]
  const [note] = text.split('\n')
  const queued = await queueMessage(conversation, {
    agentId,
    from: 'runtime',
    sender: null,
    content,
    ...(note === undefined ? {} : { note }),
  })
  return queued.ok
}
