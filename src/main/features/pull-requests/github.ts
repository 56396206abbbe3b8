/** Pull requests of GitHub, also of an Enterprise server, as `gh api` tells them. */
import { z } from 'zod'
import { ok } from '../../../shared/kernel/result.ts'
import type { PullRequestCheck, PullRequestComment } from '../../../shared/pull-requests/pull-request.ts'
import { type ForgeDriver, momentOf, orderedPull } from './forge-driver.ts'
import type { ForgeProgram } from './forge-program.ts'
import { addressAt, type HostedRepository } from './remote-address.ts'

export function githubDriver(program: ForgeProgram, repository: HostedRepository): ForgeDriver {
  const { host } = repository
  const [owner = '', name = ''] = repository.path
  const at = `repos/${owner}/${name}`

  return {
    async find(branch) {
      const body = { query: QUERY, variables: { owner, name, branch } }
      const answer = await program.json({ host, path: 'graphql', body }, found)
      if (!answer.ok) return answer
      const nodes = answer.value.data.repository.pullRequests.nodes
      const node = nodes.find(
        ({ isCrossRepository, headRefName }) => !isCrossRepository && headRefName === branch,
      )
      return ok(node === undefined ? null : pullOf(node, repository))
    },
    async create({ branch, base, title, body, draft }) {
      const request = { title, body, head: branch, base, draft }
      const made = await program.json({ host, path: `${at}/pulls`, body: request }, created)
      if (!made.ok) return made
      return ok({ number: made.value.number, url: addressAt(repository, made.value.html_url) })
    },
    log: (check) => program.text({ host, path: `${at}/actions/jobs/${check}/logs` }),
    rerun: (check) => program.text({ host, path: `${at}/actions/jobs/${check}/rerun`, body: {} }),
    reply: (number, comment, text) =>
      program.text({ host, path: `${at}/pulls/${number}/comments/${comment}/replies`, body: { body: text } }),
    comment: (number, text) =>
      program.text({ host, path: `${at}/issues/${number}/comments`, body: { body: text } }),
  }
}

/** One request tells all of it, so that asking again is cheap. */
const QUERY = `query($owner: String!, $name: String!, $branch: String!) {
  repository(owner: $owner, name: $name) {
    pullRequests(headRefName: $branch, first: 10, orderBy: {field: CREATED_AT, direction: DESC}) {
      nodes {
        number title url state isDraft isCrossRepository headRefName baseRefName headRefOid mergeable
        additions deletions changedFiles
        commits(last: 1) {
          totalCount
          nodes { commit { statusCheckRollup { contexts(first: 100) { nodes {
            __typename
            ... on CheckRun {
              databaseId name status conclusion startedAt completedAt detailsUrl
              checkSuite { app { slug } workflowRun { workflow { name } } }
            }
            ... on StatusContext { id context state targetUrl createdAt }
          } } } } }
        }
        reviewThreads(first: 100) { nodes {
          isResolved path line startLine diffSide
          comments(first: 50) { nodes { databaseId author { login } body createdAt } }
        } }
        reviews(last: 50) { nodes { databaseId author { login } body submittedAt } }
        comments(last: 50) { nodes { databaseId author { login } body createdAt } }
      }
    }
  }
}`

const text = z.string().nullish()
const whole = z.number().int().nullish()
const author = z.object({ login: z.string() }).nullish()

const remark = z.object({
  databaseId: whole,
  author,
  body: z.string(),
  createdAt: text,
  submittedAt: text,
})

const context = z.object({
  __typename: z.string(),
  ...{ databaseId: whole, name: text, status: text, conclusion: text, startedAt: text, completedAt: text },
  detailsUrl: text,
  checkSuite: z
    .object({
      app: z.object({ slug: text }).nullish(),
      workflowRun: z.object({ workflow: z.object({ name: text }).nullish() }).nullish(),
    })
    .nullish(),
  ...{ id: text, context: text, state: text, targetUrl: text },
})

const list = <T>(of: z.ZodType<T>) => z.object({ nodes: z.array(of).nullish() }).nullish()

const pullNode = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  url: text,
  state: z.string(),
  isDraft: z.boolean().nullish(),
  isCrossRepository: z.boolean().nullish(),
  headRefName: z.string(),
  baseRefName: z.string(),
  headRefOid: z.string(),
  mergeable: text,
  ...{ additions: whole, deletions: whole, changedFiles: whole },
  commits: z
    .object({
      totalCount: whole,
      nodes: z
        .array(
          z.object({
            commit: z
              .object({ statusCheckRollup: z.object({ contexts: list(context) }).nullish() })
              .nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
  reviewThreads: list(
    z.object({
      isResolved: z.boolean().nullish(),
      path: text,
      line: whole,
      startLine: whole,
      diffSide: text,
      comments: list(remark),
    }),
  ),
  reviews: list(remark),
  comments: list(remark),
})

type Remark = z.output<typeof remark>
type Context = z.output<typeof context>
type PullNode = z.output<typeof pullNode>

/** Its type is named, because the compiler can't infer one so deep. */
const found: z.ZodType<Found> = z.object({
  data: z.object({ repository: z.object({ pullRequests: z.object({ nodes: z.array(pullNode) }) }) }),
})
interface Found {
  readonly data: { readonly repository: { readonly pullRequests: { readonly nodes: readonly PullNode[] } } }
}

const created = z.object({ number: z.number().int().positive(), html_url: text })

function pullOf(node: PullNode, repository: HostedRepository) {
  const contexts = node.commits?.nodes?.[0]?.commit?.statusCheckRollup?.contexts?.nodes ?? []
  const threads = node.reviewThreads?.nodes ?? []
  return orderedPull({
    ...{ number: node.number, title: node.title, url: addressAt(repository, node.url) },
    state:
      node.state === 'MERGED'
        ? 'merged'
        : node.state === 'CLOSED'
          ? 'closed'
          : node.isDraft === true
            ? 'draft'
            : 'open',
    ...{ branch: node.headRefName, base: node.baseRefName, head: node.headRefOid },
    conflicts: node.mergeable === 'CONFLICTING',
    ...{ files: node.changedFiles ?? null, commits: node.commits?.totalCount ?? null },
    ...{ insertions: node.additions ?? null, deletions: node.deletions ?? null },
    checks: contexts.map((one) => checkOf(one, repository)),
    comments: [
      ...threads.flatMap(threadOf),
      ...[...(node.reviews?.nodes ?? []), ...(node.comments?.nodes ?? [])].flatMap(wholeRemark),
    ],
  })
}

function checkOf(node: Context, repository: HostedRepository): PullRequestCheck {
  if (node.__typename !== 'CheckRun')
    return {
      id: node.id ?? node.context ?? '',
      name: node.context ?? 'status',
      state: STATUSES[node.state ?? ''] ?? 'queued',
      ...{ startedAt: null, ms: null, url: addressAt(repository, node.targetUrl), hasLog: false },
    }
  const { status, conclusion, databaseId, checkSuite } = node
  const [startedAt, endedAt] = [momentOf(node.startedAt), momentOf(node.completedAt)]
  const workflow = checkSuite?.workflowRun?.workflow?.name
  const name = node.name ?? 'check'
  return {
    id: String(databaseId ?? name),
    name: workflow === undefined || workflow === null || workflow === name ? name : `${workflow}: ${name}`,
    state:
      status === 'COMPLETED'
        ? (CONCLUSIONS[conclusion ?? ''] ?? 'failed')
        : status === 'IN_PROGRESS'
          ? 'running'
          : 'queued',
    startedAt,
    ms: startedAt === null || endedAt === null ? null : Math.max(0, endedAt - startedAt),
    url: addressAt(repository, node.detailsUrl),
    // The job of GitHub Actions has the number of its check.
    hasLog: checkSuite?.app?.slug === 'github-actions' && typeof databaseId === 'number',
  }
}

const STATUSES: Readonly<Record<string, PullRequestCheck['state']>> = {
  SUCCESS: 'passed',
  FAILURE: 'failed',
  ERROR: 'failed',
  PENDING: 'running',
  EXPECTED: 'queued',
}

const CONCLUSIONS: Readonly<Record<string, PullRequestCheck['state']>> = {
  SUCCESS: 'passed',
  NEUTRAL: 'passed',
  SKIPPED: 'skipped',
  STALE: 'skipped',
  CANCELLED: 'failed',
  FAILURE: 'failed',
  TIMED_OUT: 'failed',
  STARTUP_FAILURE: 'failed',
  ACTION_REQUIRED: 'queued',
}

type Thread = NonNullable<NonNullable<PullNode['reviewThreads']>['nodes']>[number]

function threadOf({ isResolved, path, line, startLine, diffSide, comments }: Thread): PullRequestComment[] {
  const [first, ...replies] = comments?.nodes ?? []
  if (first === undefined) return []
  return [
    {
      ...remarkOf(first),
      id: String(first.databaseId ?? ''),
      path: path ?? null,
      line: startLine ?? line ?? null,
      lastLine: line ?? null,
      side: diffSide === 'LEFT' ? 'before' : 'after',
      resolved: isResolved === true,
      replies: replies.map(remarkOf),
    },
  ]
}

/** A remark about the whole pull request. A review without a text of its own has its comments on lines only. */
function wholeRemark(node: Remark): PullRequestComment[] {
  if (node.body.trim() === '') return []
  const place = { path: null, line: null, lastLine: null, side: 'after' as const }
  return [{ ...remarkOf(node), ...place, id: `whole-${node.databaseId ?? ''}`, resolved: false, replies: [] }]
}

const remarkOf = ({ author: by, body, createdAt, submittedAt }: Remark) => ({
  author: by?.login ?? 'unknown',
  text: body,
  at: momentOf(createdAt ?? submittedAt) ?? 0,
})
