/** The panels below the editor: problems, effective tools, and the line that the main agent reads. */
import { ChevronDown, ChevronUp } from 'lucide-react'
import { type ReactNode, useDeferredValue, useId, useMemo } from 'react'
import type { CatalogEntry } from '../../../../shared/agent-definition/agent-catalog.ts'
import type { Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { inClaudeCode } from '../../../../shared/agent-definition/in-claude-code.ts'
import { useStoredState } from '../../../stores/stored-state.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { Splitter } from '../../../ui/splitter.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import type { DefinitionDocument } from '../definition-document.ts'
import { selectDefinition } from '../open-definition.ts'
import { definitionProblems } from '../source/read-head.ts'
import { type DefinitionSurroundings, makeFix } from '../surroundings.ts'
import { useHead, useTextProblems } from '../use-head.ts'
import { type Announcement, announcement } from './announcement.ts'
import { fixAll, isFixed, ProblemCount, ProblemsPanel } from './problems-panel.tsx'
import { type ToolReasons, toolReasons } from './tool-reasons.ts'

interface PanelsBelowProps {
  readonly document: DefinitionDocument
  readonly surroundings: DefinitionSurroundings
  readonly readOnly: boolean
  /** Shows a range of the text in the source. */
  readonly onReveal: (range: { readonly from: number; readonly to: number }) => void
}

const HEIGHT = { initial: 168, min: 96, max: 520 }

export function PanelsBelow({ document, surroundings, readOnly, onReveal }: PanelsBelowProps) {
  const read = useDeferredValue(useHead(document, surroundings))
  const ofText = useTextProblems(document)
  const [height, setHeight] = useStoredState('definition-panels-height', HEIGHT.initial, isHeight)
  const [isFolded, setFolded] = useStoredState('definition-panels-folded', false, isFlag)
  const { isProgram, listsTools, reasons, announced, elsewhere } = useMemo(() => {
    const reasons =
      read.definition === null || !read.offered ? null : toolReasons(read.head, read.definition, surroundings)
    return {
      isProgram: read.definition?.program !== undefined,
      listsTools: (read.definition?.tools?.length ?? 0) > 0,
      reasons,
      announced: announcement(read, surroundings, reasons?.announced ?? []),
      elsewhere: inClaudeCode(read, read.head),
    }
  }, [read, surroundings])
  const problems = useMemo(
    () => [...ofText, ...read.problems].sort((a, b) => a.from - b.from),
    [ofText, read],
  )

  const fix = (problem: Diagnostic, label: string) => {
    // The text may have changed since the list was rendered.
    const now = definitionProblems(document.text, surroundings)
    const same = now.find((other) => other.code === problem.code && other.message === problem.message)
    const found = same?.fixes.find((other) => other.label === label)
    if (same === undefined || found === undefined) return
    makeFix(same, found, { ...surroundings, make: ({ edits }) => document.edit(edits) })
  }
  const fixable = problems.filter(isFixed).length
  const fold = (
    <IconButton
      label={isFolded ? 'Expand panels' : 'Collapse panels'}
      icon={isFolded ? ChevronUp : ChevronDown}
      aria-expanded={!isFolded}
      onClick={() => setFolded(!isFolded)}
    />
  )
  return (
    <div
      className="@container relative shrink-0 border-line border-t bg-bg-1"
      style={isFolded ? undefined : { height: `min(${height}px, 60%)` }}
    >
      {!isFolded && (
        <Splitter
          label="Panel height"
          edge="top"
          size={height}
          min={HEIGHT.min}
          max={HEIGHT.max}
          onResize={setHeight}
          onReset={() => setHeight(HEIGHT.initial)}
        />
      )}
      <div
        className={classNames(
          'grid h-full grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)_minmax(0,1fr)]',
          !isFolded && '@max-[34rem]:grid-cols-1 @max-[34rem]:overflow-y-auto',
        )}
      >
        <Panel
          title="Problems"
          isFolded={isFolded}
          after={<ProblemCount problems={problems} />}
          actions={
            !readOnly &&
            fixable > 1 && (
              <Button onClick={() => document.replaceWith(fixAll(document.text, surroundings))}>
                Fix all
              </Button>
            )
          }
        >
          <ProblemsPanel problems={problems} readOnly={readOnly} onReveal={onReveal} onFix={fix} />
          {elsewhere.map((sentence) => (
            <p key={sentence} className="pt-1.5 text-fg-2">
              {sentence}
            </p>
          ))}
        </Panel>
        <Panel
          title="Effective tools"
          isFolded={isFolded}
          after={
            reasons !== null &&
            !isProgram && <span className="font-mono text-fg-2 text-xs">{reasons.names.length}</span>
          }
        >
          <ToolsPanel {...{ isProgram, reasons, listsTools, onReveal }} />
        </Panel>
        <Panel title="Main agent reads" isFolded={isFolded} actions={fold}>
          <AnnouncementPanel announcement={announced} />
        </Panel>
      </div>
    </div>
  )
}

interface PanelProps {
  readonly title: string
  readonly isFolded: boolean
  readonly after?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

function Panel({ title, isFolded, after, actions, children }: PanelProps) {
  const heading = useId()
  return (
    <section
      aria-labelledby={heading}
      className="flex min-h-0 min-w-0 flex-col border-line not-last:border-r text-sm"
    >
      <div className="flex h-8 shrink-0 items-center gap-2 pr-2 pl-3.5">
        <h2 id={heading} className="truncate font-semibold text-fg-0">
          {title}
        </h2>
        {after}
        <span className="flex-1" />
        {actions}
      </div>
      {!isFolded && (
        <div
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
          tabIndex={0}
          className="min-h-0 flex-1 overflow-y-auto px-3.5 pb-2.5 focus-visible:-outline-offset-2"
        >
          {children}
        </div>
      )}
    </section>
  )
}

const isHeight = (value: unknown): value is number =>
  typeof value === 'number' && value >= HEIGHT.min && value <= HEIGHT.max
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean'

/** The line that the main agent reads about an agent, and the agents it shadows. */
function AnnouncementPanel({ announcement }: { readonly announcement: Announcement }) {
  const { line, obstacle, shadows, shadowedBy } = announcement
  return (
    <div className="grid gap-1.5">
      {line !== null && (
        <p data-selectable="" className="whitespace-pre-wrap break-words font-mono text-fg-1 text-xs">
          <VisibleText>{line}</VisibleText>
        </p>
      )}
      {obstacle !== null && <p className="text-fg-1">{obstacle}</p>}
      {shadowedBy !== null && (
        <p className="text-fg-2">
          shadowed by <EntryLink entry={shadowedBy} />
        </p>
      )}
      {shadows.map((entry) => (
        <p key={entry.id} className="text-fg-2">
          shadows <EntryLink entry={entry} />
        </p>
      ))}
    </div>
  )
}

const SOURCE_NAMES = {
  'built-in': 'built-in',
  plugin: 'plugin',
  user: 'user',
  project: 'project',
  'command-line': 'command-line',
  managed: 'managed',
} as const

function EntryLink({ entry }: { readonly entry: CatalogEntry }) {
  return (
    <button
      type="button"
      title={entry.file ?? entry.path}
      onClick={() => void selectDefinition(entry.id)}
      className="inline rounded-xs text-left text-fg-1 underline decoration-line-strong underline-offset-2 hover:text-fg-0"
    >
      the {SOURCE_NAMES[entry.source]} agent of the same name
    </button>
  )
}

interface ToolsPanelProps {
  /** An external agent: Troupe's tools don't count. */
  readonly isProgram: boolean
  /** Null while the definition has errors. */
  readonly reasons: ToolReasons | null
  /** Whether the definition names tools: then the agent needs one of them. */
  readonly listsTools: boolean
  readonly onReveal: (range: { readonly from: number; readonly to: number }) => void
}

/** The effective tools of an agent, and the missing tools with their reasons. */
function ToolsPanel({ isProgram, reasons, listsTools, onReveal }: ToolsPanelProps) {
  if (isProgram)
    return (
      <p className="text-fg-1">
        The program’s own. What it asks for goes through your rules; what it does without asking is seen
        afterwards.
      </p>
    )
  if (reasons === null) return <p className="text-fg-2">None until the errors are fixed.</p>
  return (
    <div className="grid gap-1.5">
      {reasons.allowed.length === 0 ? (
        <p className="text-fg-1">
          {listsTools
            ? 'None of the listed tools, so the agent is not started.'
            : 'None. The agent can only answer.'}
        </p>
      ) : (
        <ul aria-label="Effective tools" className="flex flex-wrap gap-1">
          {reasons.allowed.map((tool) => (
            <li key={tool} className="flex min-w-0">
              <Chip tone="ok">{tool}</Chip>
            </li>
          ))}
        </ul>
      )}
      <ul aria-label="Missing tools" className="grid gap-1.5">
        {reasons.missing.map(({ reason, tools, range }) => (
          <li key={reason} className="text-fg-2 leading-6">
            {tools.map((tool) => (
              <Chip key={tool} className="mr-1 max-w-full align-middle">
                <s className="truncate">{tool}</s>
              </Chip>
            ))}
            {range === null ? (
              reason
            ) : (
              <button
                type="button"
                onClick={() => onReveal(range)}
                className="rounded-xs text-left hover:text-fg-0 hover:underline"
              >
                {reason}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
