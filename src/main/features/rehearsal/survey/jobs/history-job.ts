/** Churn: git's history and uncommitted changes. */

import { isMade } from '../folder-files.ts'
import { type Answer, NO_ANSWER } from '../read-conversation.ts'
import { code, counted, joined } from '../report.ts'
import { ask, type Script, type ToolCall } from '../script.ts'
import type { JobContext, SurveyJob } from '../survey-job.ts'
import { commandAnswer, commandLines, reasonOf } from '../tool-answers.ts'
import { COMMIT_FORMAT, commitIn, countedLines, firstAdded, plainPath, shellWord } from './git-lines.ts'

export const historyJob: SurveyJob = {
  title: 'what changes often',
  description: 'History and churn',
  question:
    'What does the history say? With git commands that only read: which files change most, what the latest commits did and who made them, where the most changed files were changed last, and which changes are uncommitted. If there is no repository, say so.',
  agents: ['Bash', 'general-purpose', 'Explore'],
  needs: ['Bash'],
  run,
}

/** Number of commits to examine. */
const MOST_COMMITS = 500
const MOST_FILES = 5
const MOST_OPEN = 30

const bash = (command: string, description: string): ToolCall => ({
  tool: 'Bash',
  input: { command, description },
})

function* run({ tools, findings }: JobContext): Script<void> {
  const [recent = NO_ANSWER] = yield* ask(
    {
      thinking: 'The latest commits show whether there is a history.',
      say: 'The latest commits first.',
      calls: [bash(`git log -n 8 --date=short --format='${COMMIT_FORMAT}' -- .`, 'Latest commits')],
    },
    tools,
  )
  const commits = commandLines(recent).flatMap((line) => commitIn(line) ?? [])
  if (commits.length === 0) {
    const why = noHistory(recent)
    findings.lead(why)
    return
  }

  const [total, files, people, open] = yield* ask(
    {
      thinking: `The newest commit is ${commits[0]?.hash} of ${commits[0]?.date}. Now which files the last ${MOST_COMMITS} commits touched most, by whom, and which changes are uncommitted.`,
      say: `The newest is ${code(commits[0]?.hash ?? '')} of ${commits[0]?.date}. Counting changes.`,
      calls: [
        bash('git rev-list --count HEAD -- .', 'Count all commits'),
        bash(
          `git log -n ${MOST_COMMITS} --no-merges --relative --name-only --format= -- . | sort | uniq -c | sort -rn | head -n 30`,
          'Most changed files',
        ),
        bash(
          `git log -n ${MOST_COMMITS} --no-merges --format=%an -- . | sort | uniq -c | sort -rn | head -n 6`,
          'Who made the commits',
        ),
        bash(`git status --short -- . | head -n ${MOST_OPEN}`, 'Uncommitted changes'),
      ],
    },
    tools,
  )
  const counts = countedLines(commandLines(files ?? NO_ANSWER)).map(({ count, text }) => ({
    count,
    path: plainPath(text),
  }))
  const often = counts.filter(({ path }) => !isMade(path))
  const top = often.slice(0, often[0]?.count === 1 ? 2 : MOST_FILES)
  const patches = yield* ask(
    {
      thinking: 'A count alone helps little. For the top files: which line changed last.',
      say: top.length === 0 ? undefined : `Where ${joined(top.map(({ path }) => code(path)))} changed last.`,
      calls: top.map(({ path }) =>
        bash(
          `git log -n 1 --no-merges --relative --date=short --format='${COMMIT_FORMAT}' -p --unified=0 --no-ext-diff --no-textconv -- ${shellWord(`:(literal)${path}`)} | head -n 60`,
          'Where it changed last',
        ),
      ),
    },
    tools,
  )
  const last = top.map((file, index) => {
    const lines = commandLines(patches[index] ?? NO_ANSWER)
    return { ...file, commit: commitIn(lines[0] ?? ''), added: firstAdded(lines.slice(1)) }
  })
  const marked = last.flatMap(({ path, added }) => (added === null ? [] : [{ path, ...added }]))
  const seen = yield* ask(
    {
      thinking: 'Lines move when files are edited after the commit, so I check whether they are still there.',
      say: 'Checking whether those lines are still there.',
      calls: marked.map(({ path, line }) =>
        bash(`sed -n ${line}p ${shellWord(`./${path}`)}`, 'Check the line'),
      ),
    },
    tools,
  )
  const unchangedMarks = new Map(
    marked.map((mark, index) => [
      mark.path,
      commandLines(seen[index] ?? NO_ANSWER)[0]?.trimEnd() === mark.text.trimEnd(),
    ]),
  )

  const [newest] = commits
  const all = Number(commandLines(total ?? NO_ANSWER)[0] ?? Number.NaN)
  const examined = Math.min(MOST_COMMITS, Number.isFinite(all) ? all : MOST_COMMITS)
  const most = top[0] && top[0].count > 1 ? `; ${code(top[0].path)} changed most` : ''
  findings.lead(
    `${Number.isFinite(all) ? counted(all, 'commit') : 'Commits'}, the newest ${code(newest?.hash ?? '')} of ${newest?.date} by ${newest?.author}${most}.`,
  )
  for (const { path, count, commit, added } of last) {
    const often =
      examined === 1 ? 'is in the only commit' : `changed in ${count} of the last ${examined} commits`
    const when =
      commit === null || examined === 1
        ? ''
        : `, last in ${code(commit.hash)} of ${commit.date}: ${commit.subject}`
    if (added !== null && unchangedMarks.get(path))
      findings.fact({ path, line: added.line, text: added.text, note: `${often}${when}` })
    else findings.fact({ path, line: null, note: `${often}${when}` })
  }
  const authors = countedLines(commandLines(people ?? NO_ANSWER))
  if (authors.length > 0)
    findings.remark(`By whom: ${authors.map(({ count, text }) => `${text} ${count}`).join(', ')}.`)
  reportOpen(open ?? NO_ANSWER, findings)
  for (const { hash, date, author, subject } of commits.slice(0, 5))
    findings.remark(`${code(hash)} ${date} ${author}: ${subject}`)
  for (const answer of [total, files, people])
    if (answer && !answer.ok) findings.gap(`A part of the history: ${reasonOf(answer)}`)
}

/** The reason why there are no commits. */
function noHistory(answer: Answer): string {
  const { exitCode, ran } = commandAnswer(answer)
  if (/not a git repository/i.test(answer.text))
    return 'This folder is not in a git repository, so there is no history.'
  if (/does not have any commits yet/i.test(answer.text)) return 'The git repository has no commits yet.'
  if (exitCode === 127) return 'There is no git on this computer, so the history could not be read.'
  if (ran && exitCode === 0) return 'Nothing in this folder was committed.'
  return `The history could not be read: ${reasonOf(answer)}`
}

function reportOpen(answer: Answer, findings: JobContext['findings']): void {
  const paths = commandLines(answer).map((line) => plainPath(line.slice(3)))
  const many =
    paths.length === MOST_OPEN
      ? `At least ${MOST_OPEN} files are`
      : counted(paths.length, 'file is', 'files are')
  if (!answer.ok) findings.gap(`Uncommitted changes: ${reasonOf(answer)}`)
  else if (paths.length === 0) findings.remark('Everything is committed.')
  else
    findings.remark(
      `${many} not committed: ${joined(paths.slice(0, 8).map(code))}${paths.length > 8 ? ' …' : ''}.`,
    )
}
