/** The preview's pane: its bar, the place that the page lies over, and what went wrong in the page. */
import { ArrowLeft, ArrowRight, RotateCw, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { WorktreeEnvironment } from '../../../shared/environments/environments.ts'
import type { PreviewPlace, PreviewState } from '../../../shared/preview/preview.ts'
import { command } from '../../bridge.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DelayedCall } from '../../ui/machine.ts'
import { SelectMenu } from '../../ui/menu.tsx'
import { isEditable, isShortcut } from '../../ui/platform.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import { PreviewProblems } from './preview-problems.tsx'
import {
  actOnPreview,
  beginPage,
  chooseServer,
  closePreview,
  goTo,
  type PreviewWidth,
  setWidth,
  usePreview,
  WIDTHS,
} from './preview-store.ts'

interface PreviewPaneProps {
  readonly folder: string
  readonly worktree: WorktreeEnvironment
  /** The run command whose server is shown. */
  readonly name: string
  readonly onRun: () => void
}

/** ms from a try to the next while the server starts. */
const RETRY = 1000

export function PreviewPane({ folder, worktree, name, onRun }: PreviewPaneProps) {
  const { id, ports } = worktree
  const port = ports.find((each) => each.name === name)?.port ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: another port is another server
  useEffect(() => beginPage(folder, { id, name }), [folder, id, name, port])
  const page = usePreview((state) => state.page)
  const run = worktree.state.runs[name]
  const isRunning = run?.kind === 'running'
  useRetries(page, isRunning)
  const pane = useRef<HTMLElement>(null)
  usePaneKeys(pane)
  return (
    <section ref={pane} aria-label="Preview" className="flex min-h-0 flex-1 flex-col bg-bg-0">
      <Bar page={page} worktree={worktree} name={name} port={port} />
      <Stage page={page}>
        {page !== null && page.failure !== null && (
          <div className="flex flex-col items-center gap-2 p-4 text-center text-fg-1 text-sm">
            <p role="status">
              {isRunning ? page.failure : `${page.failure} The server “${name}” does not run.`}
            </p>
            {isRunning ? (
              <p className="text-fg-2">Troupe tries again while it runs.</p>
            ) : (
              <Button onClick={onRun}>Run</Button>
            )}
          </div>
        )}
      </Stage>
      {page !== null && <PreviewProblems worktree={worktree} problems={page.problems} />}
    </section>
  )
}

/** A server that is still starting is asked again. Each failed try is a new state. */
function useRetries(page: PreviewState | null, isRunning: boolean): void {
  useEffect(() => {
    if (page === null || page.failure === null || page.isLoading || !isRunning) return
    const again = new DelayedCall(() => void actOnPreview('reload'), RETRY)
    again.schedule()
    return () => again.cancel()
  }, [page, isRunning])
}

/** F6 gives the keys to the page; there it gives them back. */
function usePaneKeys(pane: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isInside = event.target instanceof Node && pane.current?.contains(event.target) === true
      const isFree = !isEditable(event.target)
      if (isShortcut(event, 'F6')) void actOnPreview('focus')
      else if (isShortcut(event, 'Mod R')) void actOnPreview('reload')
      else if (isFree && isShortcut(event, 'Alt ←')) void actOnPreview('back')
      else if (isFree && isShortcut(event, 'Alt →')) void actOnPreview('forward')
      else if (isFree && isShortcut(event, '/'))
        pane.current?.querySelector<HTMLInputElement>('input[name="path"]')?.select()
      else if (isFree && isInside && event.key === 'Escape' && !event.defaultPrevented) closePreview()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [pane])
}

const WIDTH_LABELS: Readonly<Record<PreviewWidth, string>> = {
  phone: 'Phone',
  tablet: 'Tablet',
  full: 'Full',
}

interface BarProps extends Pick<PreviewPaneProps, 'worktree' | 'name'> {
  readonly page: PreviewState | null
  readonly port: number | null
}

function Bar({ page, worktree: { id, ports }, name, port }: BarProps) {
  const width = usePreview((state) => state.width)
  return (
    <div className="flex h-9 shrink-0 items-center gap-1 border-line border-b bg-bg-1 px-2 text-sm">
      <IconButton
        label="Back"
        keys="Alt ←"
        icon={ArrowLeft}
        tooltipSide="top"
        disabled={page?.canGoBack !== true}
        focusableWhenDisabled
        onClick={() => void actOnPreview('back')}
      />
      <IconButton
        label="Forward"
        keys="Alt →"
        icon={ArrowRight}
        tooltipSide="top"
        disabled={page?.canGoForward !== true}
        focusableWhenDisabled
        onClick={() => void actOnPreview('forward')}
      />
      <IconButton
        label="Reload"
        keys="Mod R"
        icon={RotateCw}
        tooltipSide="top"
        busy={page?.isLoading === true}
        onClick={() => void actOnPreview('reload')}
      />
      {ports.length > 1 && (
        <SelectMenu
          label="Server of the page"
          value={name}
          options={ports.map((each) => ({ value: each.name, label: each.name, hint: `${each.port}` }))}
          onChange={(next) => chooseServer(id, next)}
        />
      )}
      <Address key={page?.path} path={page?.path ?? '/'} port={port} />
      <Segmented
        label="Width of the page"
        value={width}
        options={(Object.keys(WIDTHS) as PreviewWidth[]).map((value) => ({
          value,
          label: WIDTH_LABELS[value],
        }))}
        onChange={setWidth}
      />
      <IconButton label="Close the preview" keys="Esc" icon={X} tooltipSide="top" onClick={closePreview} />
    </div>
  )
}

/** Only the path can be typed. */
function Address({ path, port }: { readonly path: string; readonly port: number | null }) {
  const [typed, setTyped] = useState(path)
  return (
    <form
      className="flex min-w-0 flex-1 items-center gap-1"
      onSubmit={(event) => {
        event.preventDefault()
        void goTo(typed.trim())
      }}
    >
      <span className="shrink-0 pl-1 font-mono text-fg-2 text-xs">localhost:{port}</span>
      <input
        name="path"
        aria-label="Path of the page"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key !== 'Escape') return
          setTyped(path)
          currentTarget.blur()
        }}
        className={`${INPUT_CLASS} h-6 min-w-0 flex-1 font-mono text-xs`}
      />
    </form>
  )
}

/** Keeps the place free that the page lies over, and tells where it is: nowhere while something of Troupe lies there. */
function Stage({ page, children }: { readonly page: PreviewState | null; readonly children: ReactNode }) {
  const width = usePreview((state) => state.width)
  const area = useRef<HTMLDivElement>(null)
  const [isCovered, setCovered] = useState(false)
  const isShown = page !== null && page.failure === null
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has no place yet
  useEffect(() => {
    const element = area.current
    if (!isShown || element === null) return
    let last = ''
    let frame = 0
    const tell = () => {
      frame = 0
      const covered = isCoveredNow(element)
      setCovered(covered)
      const place = covered ? null : placeOf(element, WIDTHS[width])
      const text = JSON.stringify(place)
      if (text !== last) void command('preview.place', { place })
      last = text
    }
    const later = () => {
      frame ||= requestAnimationFrame(tell)
    }
    const sizes = new ResizeObserver(later)
    sizes.observe(element)
    sizes.observe(document.body)
    const overlays = new MutationObserver(later)
    overlays.observe(document.body, { childList: true, subtree: true })
    tell()
    return () => {
      cancelAnimationFrame(frame)
      sizes.disconnect()
      overlays.disconnect()
      void command('preview.place', { place: null })
    }
  }, [isShown, width, page?.id, page?.origin])
  return (
    <div ref={area} className="flex min-h-0 flex-1 items-center justify-center overflow-hidden">
      {children}
      {isShown && isCovered && (
        <p className="text-fg-2 text-sm">The page rests while something lies over it.</p>
      )}
    </div>
  )
}

const POPUPS = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]'

/** Whether something of Troupe lies where the page would hide it. */
function isCoveredNow(area: HTMLElement): boolean {
  const own = area.getBoundingClientRect()
  return [...document.querySelectorAll(POPUPS)].some((popup) => {
    const { left, right, top, bottom } = popup.getBoundingClientRect()
    return left < own.right && right > own.left && top < own.bottom && bottom > own.top
  })
}

/** A page that is wider than the area is shown smaller. @param wanted pixels; null: as wide as the area */
function placeOf(area: HTMLElement, wanted: number | null): PreviewPlace {
  const { left, top, width: given, height } = area.getBoundingClientRect()
  const width = Math.min(wanted ?? given, given)
  const zoom = wanted === null || given === 0 ? 1 : Math.max(0.2, Math.min(1, given / wanted))
  return { x: left + (given - width) / 2, y: top, width, height, zoom }
}
