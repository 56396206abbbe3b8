/**
 * What a sender and a worker may do at the NATS server, as subjects. A worker can't publish jobs or orders; a sender
 * can't take jobs, report for a worker, or announce one. Nobody may change or delete a stream.
 */
import { jobNames, jobSubject } from '../jobs/job-names.ts'
import { inboxPrefixOf, natsNames } from '../subjects.ts'

export const natsRoles = ['sender', 'worker'] as const
export type NatsRole = (typeof natsRoles)[number]

interface SubjectPermissions {
  readonly publish: readonly string[]
  readonly subscribe: readonly string[]
}

const bucket = (name: string) => `KV_${name}`
const objects = `OBJ_${natsNames.objects}`
const allStreams = [
  natsNames.messages,
  natsNames.messageEnds,
  bucket(natsNames.readers),
  bucket(natsNames.workers),
  bucket(natsNames.limits),
  objects,
  jobNames.jobs,
  jobNames.reports,
  jobNames.commands,
  bucket(jobNames.routes),
  bucket(jobNames.records),
  bucket(jobNames.leases),
]

/** `publicKey`: each user has inboxes of its own, so that nobody reads the answers to others. */
export function permissionsOf(role: NatsRole, publicKey: string): SubjectPermissions {
  const own = `${inboxPrefixOf(publicKey)}.>`
  return {
    publish: [
      '$JS.API.INFO',
      ...allStreams.flatMap((stream) => [`$JS.API.STREAM.INFO.${stream}`, `$JS.API.STREAM.CREATE.${stream}`]),
      ...mailboxes,
      ...objectStore,
      ...read(bucket(natsNames.workers)),
      ...read(bucket(natsNames.limits)),
      `$KV.${natsNames.limits}.>`,
      ...read(bucket(jobNames.routes)),
      ...read(bucket(jobNames.records)),
      ...read(bucket(jobNames.leases)),
      ...read(jobNames.reports),
      `$KV.${jobNames.records}.>`,
      '$JS.FC.>',
      ...(role === 'sender' ? ofSender : ofWorker),
    ],
    subscribe: [
      own,
      'troupe.message-new.>',
      'troupe.message-end.>',
      'troupe.live.>',
      ...(role === 'worker' ? ['troupe.cancel.>', 'troupe.command.>'] : ['troupe.board.>']),
    ],
  }
}

/** Reading a stream with consumers of one's own, and single messages. */
function read(stream: string): readonly string[] {
  return [
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}.>`,
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.*`,
    `$JS.API.CONSUMER.INFO.${stream}.*`,
    `$JS.API.CONSUMER.DELETE.${stream}.*`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
    `$JS.ACK.${stream}.>`,
  ]
}

const mailboxes = [
  ...read(natsNames.messages),
  ...read(natsNames.messageEnds),
  ...read(bucket(natsNames.readers)),
  `$JS.API.STREAM.MSG.DELETE.${natsNames.messages}`,
  `$JS.API.STREAM.PURGE.${natsNames.messages}`,
  `$KV.${natsNames.readers}.>`,
  'troupe.message.>',
  'troupe.message-new.>',
  'troupe.message-end.>',
]

const objectStore = [...read(objects), `$O.${natsNames.objects}.>`, `$JS.API.STREAM.PURGE.${objects}`]

const ofSender = [
  jobSubject('*'),
  `$KV.${jobNames.routes}.>`,
  'troupe.command.>',
  'troupe.cancel.>',
  `$JS.API.STREAM.PURGE.${jobNames.reports}`,
]

const ofWorker = [
  // All workers of a route share its consumer, which none of them may delete. The server allows no second one.
  `$JS.API.CONSUMER.CREATE.${jobNames.jobs}.*.${jobSubject('*')}`,
  `$JS.API.CONSUMER.INFO.${jobNames.jobs}.*`,
  `$JS.API.CONSUMER.MSG.NEXT.${jobNames.jobs}.*`,
  `$JS.ACK.${jobNames.jobs}.>`,
  `$JS.API.DIRECT.GET.${jobNames.commands}`,
  `$JS.API.STREAM.PURGE.${jobNames.commands}`,
  'troupe.report.>',
  'troupe.live.>',
  'troupe.board.>',
  `$KV.${jobNames.leases}.>`,
  `$KV.${natsNames.workers}.>`,
]
