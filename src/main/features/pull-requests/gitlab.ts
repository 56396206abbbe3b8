/** Merge requests of GitLab, also of a server of one's own, as `glab api` tells them. */
import { z } from 'zod'
import { ok } from '../../../shared/kernel/result.ts'
import type { PullRequestCheck, PullRequestComment } from '../../../shared/pull-requests/pull-request.ts'
import { type ForgeDriver, momentOf, orderedPull } from './forge-driver.ts'
import type { ForgeProgram } from './forge-program.ts'
import { addressAt, type HostedRepository } from './remote-address.ts'

export function gitlabDriver(program: ForgeProgram, repository: HostedRepository): ForgeDriver {
  const { host } = repository
  const at = `projects/${encodeURIComponent(repository.path.join('/'))}`
  const requests = `${at}/merge_requests`

  return {
    async find(branch) {
      const query = new URLSearchParams({
        ...{ source_branch: branch, state: 'all', order_by: 'created_at', sort: 'desc', per_page: '10' },
      })
      const listed = await program.json({ host, path: `${requests}?${query}` }, z.array(summary))
      if (!listed.ok) return listed
      const first = listed.value.find(
        (one) => one.source_branch === branch && one.source_project_id === one.target_project_id,
      )
      if (first === undefined) return ok(null)
      const [request, threads] = await Promise.all([
        program.json({ host, path: `${requests}/${first.iid}` }, details),
        program.json(
          { host, path: `${requests}/${first.iid}/discussions?per_page=100` },
          z.array(discussion),
        ),
      ])
      if (!request.ok) return request
      if (!threads.ok) return threads
      const pipeline = request.value.head_pipeline?.id
      const jobs =
        pipeline === undefined
          ? ok([])
          : await program.json({ host, path: `${at}/pipelines/${pipeline}/jobs?per_page=100` }, z.array(job))
      if (!jobs.ok) return jobs
      const { value } = request
      return ok(
        orderedPull({
          ...{ number: value.iid, title: value.title, url: addressAt(repository, value.web_url) },
          state: stateOf(value),
          ...{ branch: value.source_branch, base: value.target_branch, head: value.sha ?? '' },
          conflicts: value.has_conflicts === true,
          files: filesIn(value.changes_count),
          ...{ commits: null, insertions: null, deletions: null },
          checks: jobs.value.map((one) => checkOf(one, repository)),
          comments: threads.value.flatMap(commentOf),
        }),
      )
    },
    async create({ branch, base, title, body, draft }) {
      const made = await program.json(
        {
          host,
          path: requests,
          body: {
            ...{ source_branch: branch, target_branch: base, description: body },
            title: draft ? `Draft: ${title}` : title,
          },
        },
        summary,
      )
      return made.ok ? ok({ number: made.value.iid, url: addressAt(repository, made.value.web_url) }) : made
    },
    log: (check) => program.text({ host, path: `${at}/jobs/${check}/trace` }),
    rerun: (check) => program.text({ host, path: `${at}/jobs/${check}/retry`, body: {} }),
    reply: (number, comment, text) =>
      program.text({
        host,
        path: `${requests}/${number}/discussions/${comment}/notes`,
        body: { body: text },
      }),
    comment: (number, text) =>
      program.text({ host, path: `${requests}/${number}/notes`, body: { body: text } }),
  }
}

const text = z.string().nullish()
const whole = z.number().int().nullish()

const summary = z.object({
  iid: z.number().int().positive(),
  web_url: text,
  source_branch: z.string(),
  ...{ source_project_id: whole, target_project_id: whole },
})

const details = summary.extend({
  title: z.string(),
  target_branch: z.string(),
  state: z.string(),
  draft: z.boolean().nullish(),
  sha: text,
  has_conflicts: z.boolean().nullish(),
  /** A text: "3", or "1000+". */
  changes_count: text,
  head_pipeline: z.object({ id: z.number().int() }).nullish(),
})

const job = z.object({
  id: z.number().int(),
  name: z.string(),
  status: z.string(),
  allow_failure: z.boolean().nullish(),
  /** Seconds. */
  duration: z.number().nullish(),
  started_at: text,
  web_url: text,
})

const lineOf = z.object({ new_line: whole, old_line: whole }).nullish()

const note = z.object({
  body: z.string(),
  system: z.boolean().nullish(),
  resolved: z.boolean().nullish(),
  created_at: text,
  author: z.object({ username: z.string() }).nullish(),
  position: z
    .object({
      ...{ new_path: text, old_path: text, new_line: whole, old_line: whole },
      line_range: z.object({ start: lineOf, end: lineOf }).nullish(),
    })
    .nullish(),
})

const discussion = z.object({ id: z.string().regex(/^[0-9a-f]{1,64}$/), notes: z.array(note) })

function stateOf({ state, draft }: z.output<typeof details>) {
  if (state === 'merged') return 'merged'
  if (state === 'closed' || state === 'locked') return 'closed'
  return draft === true ? 'draft' : 'open'
}

const filesIn = (count: string | null | undefined): number | null =>
  count === null || count === undefined || !/^\d+$/.test(count) ? null : Number(count)

function checkOf(node: z.output<typeof job>, repository: HostedRepository): PullRequestCheck {
  const { duration, allow_failure: mayFail } = node
  const state = JOBS[node.status] ?? 'queued'
  return {
    id: String(node.id),
    name: node.name,
    state: state === 'failed' && mayFail === true ? 'skipped' : state,
    startedAt: momentOf(node.started_at),
    ms:
      state === 'running' || duration === null || duration === undefined ? null : Math.round(duration * 1000),
    url: addressAt(repository, node.web_url),
    hasLog: true,
  }
}

const JOBS: Readonly<Record<string, PullRequestCheck['state']>> = {
  success: 'passed',
  failed: 'failed',
  canceled: 'failed',
  running: 'running',
  skipped: 'skipped',
  manual: 'skipped',
}

function commentOf({ id, notes }: z.output<typeof discussion>): PullRequestComment[] {
  const [first, ...replies] = notes.filter(({ system }) => system !== true)
  if (first === undefined) return []
  const { position } = first
  const range = position?.line_range
  const after = position?.new_line ?? null
  const line = after ?? position?.old_line ?? null
  return [
    {
      ...remarkOf(first),
      id,
      path: (after === null ? position?.old_path : position?.new_path) ?? position?.new_path ?? null,
      line: (after === null ? range?.start?.old_line : range?.start?.new_line) ?? line,
      lastLine: line,
      side: position !== null && position !== undefined && after === null ? 'before' : 'after',
      resolved: first.resolved === true,
      replies: replies.map(remarkOf),
    },
  ]
}

const remarkOf = ({ author, body, created_at }: z.output<typeof note>) => ({
  author: author?.username ?? 'unknown',
  text: body,
  at: momentOf(created_at) ?? 0,
})
