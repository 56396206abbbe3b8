/** The questions before the first conversation: which folder, whether to trust it, which model source. */

import {
  Drama,
  FolderOpen,
  GraduationCap,
  KeyRound,
  Package,
  ShieldCheck,
  ShieldQuestion,
} from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { KEYS_PAGE } from '../../../shared/models/model-access.ts'
import type { FolderContents, FolderInfo } from '../../../shared/window/contract.ts'
import { command } from '../../bridge.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { openLink, showFailure } from '../../stores/overlay-store.ts'
import { openFolder, openSample, pickFolder, trustFolder } from '../../stores/session-feed.ts'
import { useSession } from '../../stores/session-store.ts'
import { setAccess } from '../../stores/settings-store.ts'
import { BigChoice } from '../../ui/big-choice.tsx'
import { Button } from '../../ui/button.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'

interface FirstStepProps {
  readonly title: string
  readonly text: string
  /** Above the title. */
  readonly picture?: ReactNode
  /** Goes back. Absent: Escape does nothing here. */
  readonly onEscape?: (() => void) | undefined
  readonly children: ReactNode
}

/**
 * The frame of each question before the first conversation. The title gets the focus, so that the next Tab reaches the
 * first answer, and no Enter that was meant for the last question answers this one.
 */
export function FirstStep({ title, text, picture, onEscape, children }: FirstStepProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing || event.defaultPrevented) return
    event.preventDefault()
    onEscape?.()
  }
  return (
    <main className="grid min-h-0 overflow-y-auto" onKeyDown={onKeyDown}>
      <div className="mx-auto mt-[max(24px,12vh)] mb-auto w-[540px] max-w-full px-6 pb-10">
        {picture}
        <h1
          ref={heading}
          tabIndex={-1}
          className="font-semibold text-fg-0 text-xl tracking-[-0.01em] outline-none"
        >
          {title}
        </h1>
        <p className="pt-1.5 pb-5 text-fg-1 text-md">{text}</p>
        {children}
      </div>
    </main>
  )
}

// Chooses the folder that agents work in.

export function ChooseFolder({ onTutorial }: { readonly onTutorial: () => Promise<void> }) {
  const keysOf = useKeysOf()
  const recent = useSession((state) => state.settings.recentFolders)
  const [busy, setBusy] = useState<string | null>(null)
  const go = async (name: string, open: () => Promise<unknown>) => {
    setBusy(name)
    await open()
    setBusy(null)
  }
  return (
    <>
      <div className="grid gap-2.5">
        <BigChoice
          icon={FolderOpen}
          title="Open a folder"
          text="A project of yours. Troupe asks whether you trust the folder before anything in it runs."
          keys={keysOf('open-folder')}
          primary
          busy={busy === 'pick'}
          onChoose={() => void go('pick', pickFolder)}
        />
        <BigChoice
          icon={GraduationCap}
          title="Try the tutorial"
          text="Five minutes on a copy of the sample project, without a key: a script plays the model, and everything else is real."
          busy={busy === 'tutorial'}
          onChoose={() => void go('tutorial', onTutorial)}
        />
        <BigChoice
          icon={Package}
          title="Try the sample project"
          text="Tally, a small program that says who owes whom, with a bug and a failing test. It is copied to a new folder."
          busy={busy === 'sample'}
          onChoose={() => void go('sample', openSample)}
        />
      </div>
      {recent.length > 0 && (
        <section aria-labelledby="recent-heading" className="mt-6">
          <h2 id="recent-heading" className="side-heading pb-1.5">
            Recent
          </h2>
          <ul>
            {recent.slice(0, 6).map((path) => (
              <li key={path}>
                <button
                  type="button"
                  onClick={() => void go(path, () => openFolder(path))}
                  className="w-full truncate rounded-sm px-2 py-1 text-left font-mono text-fg-1 text-xs hover:bg-bg-2 hover:text-fg-0"
                >
                  {path}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

/** A small drawing of the stage: a conversation and four running agents. */
const PANELS = [
  { color: 'var(--agent-blue)', lines: ['w-3/4', 'w-1/2', 'w-2/3'] },
  { color: 'var(--agent-green)', lines: ['w-2/3', 'w-4/5', 'w-1/3'] },
  { color: 'var(--agent-red)', lines: ['w-1/2', 'w-3/5', 'w-3/4'] },
  { color: 'var(--agent-pink)', lines: ['w-4/5', 'w-1/3', 'w-1/2'] },
]

export function StageSketch() {
  return (
    <div
      aria-hidden="true"
      className="mb-7 grid h-36 grid-cols-[1fr_2.2fr] overflow-hidden rounded-md border border-line bg-line"
    >
      <div className="mr-px flex flex-col gap-2 bg-bg-0 p-3">
        <span className="h-5 w-4/5 self-end rounded-md bg-bg-3" />
        <Line width="w-full" />
        <Line width="w-2/3" />
        <span className="mt-1 flex flex-col gap-1.5 rounded-sm border border-line p-1.5">
          {PANELS.map(({ color, lines }) => (
            <span key={color} className="flex items-center gap-1.5">
              <span className="size-1 rounded-full" style={{ background: color }} />
              <Line width={lines[0] ?? ''} />
            </span>
          ))}
        </span>
      </div>
      <div className="grid grid-cols-2 gap-px">
        {PANELS.map(({ color, lines }, index) => (
          <div
            key={color}
            className="flex flex-col gap-2 border-t-2 bg-bg-1 p-2.5"
            style={{ borderColor: color }}
          >
            {lines.map((width) => (
              <Line key={width} width={width} />
            ))}
            <span
              className="pulse-soft h-2 w-1 rounded-[1px]"
              style={{ background: color, animationDelay: `${index * 230}ms` }}
            />
          </div>
        ))}
      </div>
    </div>
  )
}

function Line({ width }: { readonly width: string }) {
  return <span className={classNames('h-1 shrink-0 rounded-full bg-line-strong', width)} />
}

/** Chooses the model source: a rehearsal, an API key, or an external agent. */
interface ChooseAccessProps {
  /** The form for a key. */
  readonly keyForm: ReactNode
  /** The choices of external agents. */
  readonly programs: ReactNode
  /** Whether the form is open. */
  readonly withKey: boolean
  readonly onWithKey: (open: boolean) => void
  readonly onLater: () => void
}

export function ChooseAccess({ keyForm, programs, withKey, onWithKey, onLater }: ChooseAccessProps) {
  const isStoreSafe = useSession(({ access }) => access.keyStoreSafe)
  const form = useRef<HTMLDivElement>(null)
  const choice = useRef<HTMLDivElement>(null)
  const wasOpen = useRef(withKey)
  useEffect(() => {
    if (withKey) form.current?.querySelector('input')?.focus()
    else if (wasOpen.current) choice.current?.querySelector('button')?.focus()
    wasOpen.current = withKey
  }, [withKey])
  const rehearse = async () => {
    const answer = await setAccess({ kind: 'rehearsal' })
    if (!answer.ok) showFailure(answer.failure)
  }
  return (
    <>
      <div className="grid gap-2.5">
        <BigChoice
          icon={Drama}
          title="Rehearse without a key"
          text="A script, not a model: it can't solve your task, but its agents read your folder with the real tools and report true facts. It is free and sends nothing."
          primary={!withKey}
          onChoose={() => void rehearse()}
        />
        {withKey ? (
          <div ref={form} className="rounded-md border border-accent/60 bg-bg-1 px-4 py-3">
            {keyForm}
          </div>
        ) : (
          <div ref={choice} className="grid">
            <BigChoice
              icon={KeyRound}
              title="Use an API key"
              text="A key for the Anthropic API or a server with the same Messages API. You pay for the usage of agents."
              onChoose={() => onWithKey(true)}
            />
          </div>
        )}
        {programs}
      </div>
      <p className="pt-4 text-fg-2 text-sm">
        A chat subscription (Claude Pro or Max) does not include API access; the maker’s own program takes it.
        {isStoreSafe && ' Troupe keeps a key in your system’s key store and sends it only to the API.'}
      </p>
      <p className="pt-1 text-fg-2 text-sm">
        Create a key: <ExternalLink url={KEYS_PAGE} onOpen={(url) => void openLink(url)} />
      </p>
      <div className="mt-3 -ml-2.5 flex items-center gap-1">
        {withKey && (
          <Button variant="quiet" onClick={() => onWithKey(false)}>
            Back <Kbd keys="Esc" />
          </Button>
        )}
        <Button variant="quiet" onClick={onLater}>
          Look around first
        </Button>
      </div>
    </>
  )
}

/** Asks once for each folder whether its content may be interpreted and run. */
interface TrustQuestionProps {
  readonly folder: FolderInfo
  readonly onAnswered: () => void
}

export function TrustQuestion({ folder, onAnswered }: TrustQuestionProps) {
  const answer = async (trusted: boolean) => {
    await trustFolder(folder.path, trusted)
    onAnswered()
  }
  const [contents, setContents] = useState<FolderContents | null>(null)
  useEffect(() => {
    let isOver = false
    void command('folder.contents', { path: folder.path }).then((found) => {
      if (!isOver && found.ok) setContents(found.value)
    })
    return () => {
      isOver = true
    }
  }, [folder.path])
  return (
    <>
      <p className="break-all pb-3 font-mono text-fg-1 text-sm" data-selectable="">
        {folder.path}
      </p>
      {contents !== null && <Contents contents={contents} />}
      <div className="grid gap-2.5">
        <BigChoice
          icon={ShieldCheck}
          title="I trust this folder"
          text="Troupe reads its agents, rules and settings, and those of the folders in it. Agents may run commands, as the permission mode allows."
          primary
          onChoose={() => void answer(true)}
        />
        <BigChoice
          icon={ShieldQuestion}
          title="Read only"
          text="Agents can read and search files, but can't change files or run commands. You can trust the folder later."
          onChoose={() => void answer(false)}
        />
      </div>
      <p className="pt-4 text-fg-2 text-sm">
        A project can contain instructions for agents and commands that run automatically. In a folder from an
        unknown source these can do harm.
      </p>
      <Button variant="quiet" className="mt-3 -ml-2.5" onClick={() => void pickFolder()}>
        Open another folder…
      </Button>
    </>
  )
}

/** What the folder brings, and what the answer means for it. */
function Contents({ contents }: { readonly contents: FolderContents }) {
  const lines = contentsLines(contents)
  if (lines.length === 0)
    return <p className="pb-4 text-fg-2 text-sm">It has no agents, commands or settings of its own.</p>
  return (
    <ul aria-label="What the folder brings" className="grid gap-1 pb-4 text-sm">
      {lines.map(({ what, means }) => (
        <li key={what}>
          <span className="font-medium text-fg-0">{what}</span> <span className="text-fg-2">{means}</span>
        </li>
      ))}
    </ul>
  )
}

/** What a folder brings, in words, with what an answer of the user means for it. */
interface ContentsLine {
  /** "3 agents" */
  readonly what: string
  readonly means: string
}

function contentsLines(contents: FolderContents): readonly ContentsLine[] {
  const { agents, skills, commands, hooks, mcpServers, instructions } = contents
  const some = (number: number, word: string, words = `${word}s`) =>
    number > 0 ? [count(number, word, words)] : []
  const line = (parts: readonly string[], means: string): readonly ContentsLine[] =>
    parts.length > 0 ? [{ what: parts.join(', '), means }] : []
  return [
    ...line(
      some(agents, 'agent'),
      'can be used once you trust it. Later ones, and more rights, ask you first.',
    ),
    ...line(
      [...some(hooks, 'hook'), ...some(mcpServers, 'MCP server')],
      'can start programs. Each asks you before it is first used.',
    ),
    ...line(
      [...some(commands, 'command'), ...some(skills, 'skill'), ...instructions],
      'tell agents what to do.',
    ),
  ]
}
