/** The task list of a conversation for an agent on another machine: each call is a question to the sender's program. */
import type { NatsConnection } from '@nats-io/transport-node'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import { teamTask } from '../../../../../shared/teams/team-schema.ts'
import type { TaskBoard } from '../../../../runtime/ports/task-board.ts'
import { nameOf } from '../subjects.ts'
import { boardSubject, type JobAddress } from './job-names.ts'

const question = z.discriminatedUnion('do', [
  z.object({ do: z.literal('list') }),
  z.object({ do: z.literal('create'), task: teamTask.omit({ id: true, version: true }) }),
  z.object({ do: z.literal('update'), task: teamTask }),
])
type Question = z.infer<typeof question>

const failure = z.union([
  z.object({ type: z.literal('changed'), message: z.string(), current: teamTask.nullable() }),
  z.object({ type: z.enum(['bad-name', 'not-found', 'io']), message: z.string() }),
])
const answerOf = <T>(value: z.ZodType<T>) =>
  z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), value }),
    z.object({ ok: z.literal(false), failure }),
  ])
const listed = answerOf(z.object({ tasks: z.array(teamTask), problems: z.array(z.string()) }))
const changed = answerOf(teamTask)

/** ms that the sender's program has to answer. */
const PATIENCE = 5000

export interface AnsweredBoard {
  readonly board: TaskBoard
  readonly conversationOf: (agentId: string) => string | null
}

/** The board as an agent's worker sees it. The sender's program knows the conversation. */
export function createRemoteBoard(connection: NatsConnection, address: JobAddress): TaskBoard {
  async function ask(asked: Question): Promise<unknown> {
    const reply = await connection
      .request(boardSubject(address), JSON.stringify(asked), { timeout: PATIENCE })
      .catch(() => null)
    return reply === null ? unreachable : jsonOrUndefined(reply.string())
  }
  return {
    list: async () => listed.catch(unreadable).parse(await ask({ do: 'list' })),
    create: async (_id, task) => changed.catch(unreadable).parse(await ask({ do: 'create', task })),
    update: async (_id, task) => changed.catch(unreadable).parse(await ask({ do: 'update', task })),
    // An agent looks at the list when its tools do.
    watch: () => () => undefined,
  }
}

/**
 * Answers the workers of all agents of a sender, until the returned function is called.
 * @param conversationOf the conversation of an agent; null: it is not known
 */
export function answerBoard(
  connection: NatsConnection,
  sender: string,
  { board, conversationOf }: AnsweredBoard,
): () => void {
  async function answer(asked: Question, conversationId: string) {
    if (asked.do === 'list') return board.list(conversationId)
    return asked.do === 'create'
      ? board.create(conversationId, asked.task)
      : board.update(conversationId, asked.task)
  }
  const subscription = connection.subscribe(boardSubject({ sender, agentId: '*' }), {
    callback: (_error, message) => {
      const asked = question.safeParse(jsonOrUndefined(message.string()))
      const conversationId = conversationOf(nameOf(message.subject.split('.').at(-1) ?? ''))
      // The agent belongs to another program with the same key.
      if (conversationId === null) return
      const answered = asked.success ? answer(asked.data, conversationId) : Promise.resolve(unreadable)
      void answered.then((result) => message.respond(JSON.stringify(result)))
    },
  })
  return () => subscription.unsubscribe()
}

const unreachable = io(
  `The program that holds the task list can’t be reached now: it did not answer within ${PATIENCE / 1000} s. Nothing was changed. Go on with your task, and try again later.`,
)
const unreadable = io(
  'The answer about the task list can’t be read. The two programs have different versions.',
)

function io(message: string): { readonly ok: false; readonly failure: { type: 'io'; message: string } } {
  return { ok: false, failure: { type: 'io', message } }
}
