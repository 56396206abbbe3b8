/** What agents wait for and are told: the set-up of their worktree, its ports, and its servers. */
import { basename } from 'node:path'
import { type EnvironmentState, imageText, needsSetup } from '../../../shared/environments/environment.ts'
import { type FolderCommands, portOf } from '../../../shared/environments/environments.ts'
import { sharedText } from '../../../shared/environments/shareable-setup.ts'
import type { FormQuestion } from '../../../shared/forms/form.ts'
import type { WorktreeEnvironments } from '../../runtime/ports/environments.ts'
import type { EnvironmentService } from './create-environments.ts'
import type { PortBlocks } from './port-blocks.ts'

interface Seen {
  readonly commands: FolderCommands
  readonly state: EnvironmentState
}

type Ask = (question: FormQuestion, signal: AbortSignal) => Promise<string | null>

/** @param options `attended`: whether a user can approve commands in this run */
export function createAgentEnvironments(options: {
  readonly service: EnvironmentService
  readonly ports: Pick<PortBlocks, 'of'>
  readonly waits: () => boolean
  readonly attended: () => boolean
}): WorktreeEnvironments {
  const { service, ports, waits, attended } = options

  /** Whether the set-up runs, or waits for the user. */
  function isPending({ commands: { approval, commands }, state: { setup } }: Seen): boolean {
    if (setup.kind === 'running') return true
    const mayCome =
      approval.state === 'approved' ||
      (attended() && (approval.state === 'new' || approval.state === 'changed'))
    return setup.kind === 'none' && needsSetup(commands) && mayCome
  }

  /** Resolves when nothing is to be waited for any more. */
  async function settled(path: string, signal: AbortSignal, isOpen = isPending): Promise<Seen | null> {
    for (;;) {
      // Before the look: no change falls between them.
      const change = nextChange(service, signal)
      const seen = await service.stateOf({ path })
      if (seen === null || signal.aborted || !isOpen(seen)) return seen
      await change
    }
  }

  /** Asks the user about commands while they wait for a decision, anew when they change. Ends with the signal. */
  async function askMeanwhile(path: string, ask: Ask, signal: AbortSignal): Promise<void> {
    for (let seen = await service.stateOf({ path }); seen !== null && !signal.aborted; ) {
      const { folder, digest } = seen.commands
      const question = waitsForUser(seen) ? questionAbout(seen.commands) : null
      if (question === null) return
      const withdrawn = new AbortController()
      const changed = settled(
        path,
        signal,
        (now) => waitsForUser(now) && now.commands.digest === digest,
      ).finally(() => withdrawn.abort())
      const chosen = await ask(question, AbortSignal.any([signal, withdrawn.signal]))
      if (chosen === APPROVE) await service.decide({ folder, digest, decision: 'approved' })
      if (chosen === REFUSE) await service.decide({ folder, digest, decision: 'refused' })
      if (chosen === SKIP) await service.skip({ folder, id: basename(path) })
      seen = await changed
    }
  }

  const enter: WorktreeEnvironments['enter'] = async ({ path }, { signal, waits: tell, ask, ended }) => {
    const seen = await settled(path, signal, isCopying)
    const base = ports.of(path)
    if (seen === null || base === null) return { text: null }
    if (!isPending(seen)) return { text: textFor(seen, base) }
    if (!waits() || isUnasked(seen)) {
      void settled(path, signal).then((after) => {
        if (after !== null && !signal.aborted) ended(setupText(after, false))
      })
      return { text: textFor(seen, base) }
    }
    tell(waitText(seen))
    const asking = new AbortController()
    void askMeanwhile(path, ask, AbortSignal.any([signal, asking.signal])).catch(() => undefined)
    const after = await settled(path, signal).finally(() => asking.abort())
    return { text: after === null ? null : textFor(after, ports.of(path) ?? base) }
  }

  return {
    async enter(location, options) {
      try {
        return await enter(location, options)
      } finally {
        service.entered(location)
      }
    },
  }
}

/** Whether the set-up of another worktree is being copied, which takes seconds. */
const isCopying = ({ state: { setup } }: Seen): boolean => setup.kind === 'running' && setup.command === null

/** Commands that Troupe itself proposes keep no agent waiting: nobody may have thought of a set-up. */
const isUnasked = ({ commands: { isProposed, approval } }: Seen): boolean =>
  isProposed && approval.state !== 'approved'

const waitsForUser = ({ commands: { approval }, state: { setup } }: Seen): boolean =>
  setup.kind === 'none' && (approval.state === 'new' || approval.state === 'changed')

const APPROVE = 'Approve'
const SKIP = 'Skip here'
const REFUSE = 'Refuse'

/** Characters. What a form does not show whole is approved in Environments. */
const LONGEST_QUESTION = 1500

/** Null: too much to be read in a form. */
function questionAbout({ commands, sources, approval, scripts }: FolderCommands): FormQuestion | null {
  const { image, setup, run, teardown, hosts } = commands
  const lines = [
    ...(image === undefined ? [] : [`image: ${imageText(image)}`]),
    ...setup.map((command) => `set-up: ${command}`),
    ...run.map(({ name, command }) => `run ${name}: ${command}`),
    ...teardown.map((command) => `tear-down: ${command}`),
    ...hosts.map((host) => `host: ${host}`),
    ...scripts.map((script) => `script: ${script}`),
  ]
  const changed = approval.state === 'changed' ? 'They have changed since you approved them. ' : ''
  const question = `May these commands of ${sources.join(', ')} run in the worktrees of this repository? ${changed}They run in the sandbox.\n${lines.join('\n')}`
  if (question.length > LONGEST_QUESTION) return null
  return {
    question,
    header: 'Set-up',
    multiSelect: false,
    options: [
      { label: APPROVE, description: 'In all worktrees, until the commands or their scripts change.' },
      { label: SKIP, description: 'This agent begins without the set-up.' },
      { label: REFUSE, description: 'They run in no worktree.' },
    ],
  }
}

function nextChange(service: EnvironmentService, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop()
      resolve()
    }
    const stop = service.subscribe((what) => what === 'state' && done())
    signal.addEventListener('abort', done, { once: true })
  })
}

const waitText = ({ commands: { approval } }: Seen): string =>
  approval.state === 'approved'
    ? 'Waits for the set-up of its worktree. Its log is in Environments.'
    : 'Waits for your approval of the commands that set up its worktree. Approve or skip them in Environments.'

/** For the agent. */
function textFor(seen: Seen, base: number): string {
  const { run } = seen.commands.commands
  const servers = run.map(({ name, command }) => {
    const state = seen.state.runs[name]
    const port = portOf(run, name, base)
    return `${name} (\`${command}\`) at http://localhost:${port}${state?.kind === 'running' ? ', which runs now' : ''}`
  })
  const { image } = seen.commands.commands
  return [
    setupText(seen, true),
    ...(image !== undefined && seen.state.image !== null
      ? [
          `Your commands run with the files of the image ${imageText(image)}, which they can't change: only the worktree, your home and the temporary folders can be written.`,
        ]
      : []),
    `The ports ${base} to ${base + 9} are yours alone: TROUPE_PORT is ${base}, TROUPE_PORT_1 to TROUPE_PORT_9 are the next nine. Let servers that you start listen there.`,
    ...(servers.length === 0
      ? []
      : [
          `The user can run ${servers.join(' and ')}. While one runs, your commands reach it there, and its port is taken.`,
        ]),
  ].join(' ')
}

function setupText({ commands: { commands, approval }, state: { setup } }: Seen, isStart: boolean): string {
  const { image } = commands
  const steps = [...(image === undefined ? [] : [`image ${imageText(image)}`]), ...commands.setup]
    .map((command) => `\`${command}\``)
    .join(', ')
  switch (setup.kind) {
    case 'ready':
      if (setup.shared !== undefined)
        return `Your worktree is set up: ${sharedText(setup.shared)} ${setup.shared.length === 1 ? 'was' : 'were'} copied from an equal worktree after ${steps}, and ${setup.shared.length === 1 ? 'is' : 'are'} yours to change.`
      return `Your worktree is set up: ${steps === '' ? 'nothing was needed' : `${steps} ended well`}.`
    case 'failed':
      return `The set-up of your worktree failed${setup.command === null ? '' : ` in \`${setup.command}\``}: ${setup.error} What it installs may be missing. Do what you can without it, and say in your report what you could not check.`
    case 'skipped':
      return 'The user skipped the set-up of your worktree, so what it installs is missing.'
    case 'running':
      return `The set-up of your worktree (${steps}) still runs: what it installs may be missing. Begin with what needs none of it. A message tells you when it has ended.`
    case 'none':
      if (!needsSetup(commands)) return isStart ? 'Your worktree needs no set-up.' : ''
      return approval.state === 'approved'
        ? `The set-up of your worktree (${steps}) begins: what it installs may be missing. A message tells you when it has ended.`
        : 'Your worktree is not set up, because the user has not approved the commands for it. What they install is missing.'
  }
}
