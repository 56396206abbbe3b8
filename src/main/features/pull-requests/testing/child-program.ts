/**
 * Stands for `gh` or `glab` in tests, and accepts only what their manuals say. It answers from `state.json` of its folder,
 * keeps what was changed there, and adds each call as a line to `calls.jsonl`.
 *   node child-program.ts <folder> <gh|glab> ARGUMENTS
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeForgeState } from './fake-forge.ts'

const [folder = '', program = '', ...args] = process.argv.slice(2)
const stateFile = join(folder, 'state.json')
const state = JSON.parse(readFileSync(stateFile, 'utf8')) as FakeForgeState

function end(code: number, stderr = ''): never {
  process.stderr.write(stderr)
  process.exit(code)
}

const misuse = (because: string): never =>
  end(64, `unexpected use of ${program}: ${because}: ${args.join(' ')}\n`)

function answer(value: unknown): never {
  process.stdout.write(typeof value === 'string' ? value : JSON.stringify(value))
  process.exit(0)
}

/** As both programs do: the body goes to the output, the message with the status to the errors. */
function refuse(status: number, message: string, body: object = { message }): never {
  process.stdout.write(JSON.stringify(body))
  end(1, `${program}: ${message} (HTTP ${status})\n`)
}

const VALUED = ['--hostname', '--method', '--input', '--header']
const given = new Map<string, string>()
const words: string[] = []
for (let at = 0; at < args.length; at++) {
  const word = args[at] ?? ''
  if (!word.startsWith('-')) words.push(word)
  else if (VALUED.includes(word)) given.set(word, args[++at] ?? misuse('no value'))
  else misuse('no such option')
}
const input = readFileSync(0, 'utf8')
appendFileSync(join(folder, 'calls.jsonl'), `${JSON.stringify({ args, input, cwd: process.cwd() })}\n`)
if (given.get('--hostname') !== state.host) {
  if (words[0] === 'auth') end(1, `You are not logged into any accounts on ${given.get('--hostname')}\n`)
  misuse('another host')
}
if (/[:/]/.test(state.host)) misuse('invalid hostname')
if (!state.loggedIn) {
  if (program === 'gh' && words[0] === 'api')
    end(4, 'To get started with GitHub CLI, please run:  gh auth login\n')
  end(1, words[0] === 'auth' ? 'not logged in\n' : 'glab: 401 Unauthorized (HTTP 401)\n')
}
if (state.offline) end(1, `error connecting to api.${state.host}: dial tcp: lookup failed: no such host\n`)
if (words.join(' ') === 'auth status') answer('')
if (words[0] !== 'api' || words.length !== 2) misuse('no such command')
const isPost = given.has('--method')
if (isPost && (given.get('--method') !== 'POST' || given.get('--input') !== '-')) misuse('no such request')
if (program === 'glab' && isPost && given.get('--header') !== 'Content-Type: application/json')
  misuse('GitLab reads a body only with its type')
const body = isPost ? (JSON.parse(input) as Record<string, unknown>) : null
const path = words[1] ?? ''
if (/[{}\s]|(^|\/):/.test(path)) misuse('a placeholder in the path')

/** Names of GitHub's public GraphQL schema that a query may have. */
const GRAPHQL = new Set(
  'CREATED_AT CheckRun DESC StatusContext String __typename additions app author baseRefName body changedFiles checkSuite comments commit commits completedAt conclusion context contexts createdAt databaseId deletions detailsUrl diffSide direction field first headRefName headRefOid id isCrossRepository isDraft isResolved last line login mergeable name nodes number on orderBy owner path pullRequests query repository reviewThreads reviews slug startLine startedAt state status statusCheckRollup submittedAt targetUrl title totalCount url workflow workflowRun'.split(
    ' ',
  ),
)

if (program === 'gh') github()
else gitlab()

function github(): void {
  const at = `repos/${state.path}`
  if (path === 'graphql') {
    const { query, variables } = body as { query: string; variables: Record<string, string> }
    const unknown = query
      .replace(/\$\w+/g, '')
      .match(/\w+/g)
      ?.find((word) => !GRAPHQL.has(word) && !/^\d+$/.test(word))
    if (unknown !== undefined) refuse(200, `Field '${unknown}' doesn't exist`)
    if (`${variables['owner']}/${variables['name']}` !== state.path)
      end(
        1,
        `gh: Could not resolve to a Repository with the name '${variables['owner']}/${variables['name']}'.\n`,
      )
    const nodes = state.pulls.filter((pull) => pull['headRefName'] === variables['branch'])
    answer({ data: { repository: { pullRequests: { nodes } } } })
  }
  if (body !== null && path === `${at}/pulls`) {
    const { title, head, base, draft, body: text, ...rest } = body
    if (Object.keys(rest).length > 0 || typeof draft !== 'boolean' || typeof text !== 'string')
      misuse('unknown field')
    if (state.pulls.some((pull) => pull['headRefName'] === head && pull['state'] === 'OPEN'))
      refuse(422, 'Validation Failed', {
        message: 'Validation Failed',
        errors: [
          { resource: 'PullRequest', code: 'custom', message: `A pull request already exists for ${head}.` },
        ],
      })
    const number = 482 + state.pulls.length
    const url = `https://${state.host}/${state.path}/pull/${number}`
    state.pulls.unshift({
      ...{ number, title, url, state: 'OPEN', isDraft: draft, isCrossRepository: false },
      ...{ headRefName: head, baseRefName: base, headRefOid: state.head, mergeable: 'MERGEABLE' },
      ...state.newPull,
    })
    save()
    answer({ number, html_url: url, state: 'open' })
  }
  const log = new RegExp(`^${at}/actions/jobs/(\\d+)/logs$`).exec(path)
  if (!isPost && log !== null) answer(state.logs[log[1] ?? ''] ?? refuse(404, 'Not Found'))
  if (isPost && new RegExp(`^${at}/actions/jobs/\\d+/rerun$`).test(path)) answer({})
  if (isPost && new RegExp(`^${at}/pulls/\\d+/comments/\\d+/replies$`).test(path)) answer({ id: 1 })
  if (isPost && new RegExp(`^${at}/issues/\\d+/comments$`).test(path)) answer({ id: 1 })
  refuse(404, 'Not Found')
}

function gitlab(): void {
  const at = `projects/${encodeURIComponent(state.path)}`
  const [route = '', query = ''] = path.split('?')
  if (!isPost && route === `${at}/merge_requests`) {
    const wanted = new URLSearchParams(query)
    if (wanted.get('state') !== 'all') misuse('only open ones')
    answer(state.pulls.filter((pull) => pull['source_branch'] === wanted.get('source_branch')))
  }
  if (body !== null && route === `${at}/merge_requests`) {
    const iid = 7 + state.pulls.length
    state.pulls.unshift({
      ...{
        iid,
        ...body,
        description: undefined,
        state: 'opened',
        sha: state.head,
        source_project_id: 1,
        target_project_id: 1,
      },
      web_url: `https://${state.host}/${state.path}/-/merge_requests/${iid}`,
    })
    save()
    answer(state.pulls[0])
  }
  const [, iid, rest = ''] = new RegExp(`^${at}/merge_requests/(\\d+)(/.*)?$`).exec(route) ?? []
  if (iid !== undefined && !isPost) {
    if (rest === '/discussions') answer(state.discussions)
    const pull = state.pulls.find((one) => one['iid'] === Number(iid))
    if (rest === '' && pull !== undefined) answer(pull)
  }
  if (iid !== undefined && isPost && /^\/(notes|discussions\/[0-9a-f]+\/notes)$/.test(rest)) answer({ id: 1 })
  if (!isPost && new RegExp(`^${at}/pipelines/\\d+/jobs$`).test(route)) answer(state.jobs)
  const [, id = '', what] = new RegExp(`^${at}/jobs/(\\d+)/(trace|retry)$`).exec(route) ?? []
  if (what === 'trace' && !isPost) answer(state.logs[id] ?? refuse(404, 'Not Found'))
  if (what === 'retry' && isPost) answer({ id: 1 })
  refuse(404, 'Not Found')
}

function save(): void {
  writeFileSync(stateFile, JSON.stringify(state))
}
