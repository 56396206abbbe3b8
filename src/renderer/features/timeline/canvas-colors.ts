/** The colors of a canvas: CSS colors with variables, as the element of the canvas computes them. */
import { agentColor } from '../../ui/agent-style.ts'

/** The looks of the spans of one agent. */
export interface AgentColors {
  readonly model: string
  readonly tool: string
  readonly line: string
  readonly mark: string
}

export class CanvasColors {
  private readonly probe: HTMLElement
  private readonly known = new Map<string, string>()
  private readonly agents = new Map<string, AgentColors>()
  private hatch: CanvasPattern | string | null = null
  private theme = ''

  /** @param probe computes the colors; its own `color` is used for that */
  constructor(probe: HTMLElement) {
    this.probe = probe
  }

  /** Forgets all colors if the theme has changed since. Called once for each picture. */
  refresh(): void {
    const theme = `${document.documentElement.dataset['theme']} ${globalThis.matchMedia('(prefers-color-scheme: dark)').matches}`
    if (theme === this.theme) return
    this.theme = theme
    this.known.clear()
    this.agents.clear()
    this.hatch = null
  }

  /** @param css `var(--line)`, `color-mix(in oklab, var(--bad) 75%, transparent)` */
  of(css: string): string {
    const known = this.known.get(css)
    if (known !== undefined) return known
    this.probe.style.color = css
    const { color } = getComputedStyle(this.probe)
    this.known.set(css, color)
    return color
  }

  ofAgent(color: string): AgentColors {
    const known = this.agents.get(color)
    if (known !== undefined) return known
    const hue = agentColor(color)
    const mixed = (share: number, other = 'var(--bg-1)') =>
      this.of(`color-mix(in oklab, ${hue} ${share}%, ${other})`)
    const colors = {
      model: mixed(30),
      tool: mixed(82, 'light-dark(black, var(--bg-1))'),
      line: mixed(48),
      mark: mixed(100),
    }
    this.agents.set(color, colors)
    return colors
  }

  /** The hatching of a wait for the user. */
  ofWait(context: CanvasRenderingContext2D): CanvasPattern | string {
    this.hatch ??= hatching(context, {
      stripe: this.of('color-mix(in oklab, var(--needs-you) 72%, transparent)'),
      ground: this.of('color-mix(in oklab, var(--needs-you) 14%, transparent)'),
    })
    return this.hatch
  }
}

const TILE = 8

function hatching(
  context: CanvasRenderingContext2D,
  { stripe, ground }: { readonly stripe: string; readonly ground: string },
): CanvasPattern | string {
  const tile = document.createElement('canvas')
  tile.width = TILE
  tile.height = TILE
  const inside = tile.getContext('2d')
  if (inside === null) return stripe
  inside.fillStyle = ground
  inside.fillRect(0, 0, TILE, TILE)
  inside.strokeStyle = stripe
  inside.lineWidth = 2.8
  inside.beginPath()
  // Three lines, so that the corners of neighboring tiles meet.
  for (const shift of [-TILE, 0, TILE]) {
    inside.moveTo(shift - 1, TILE + 1)
    inside.lineTo(shift + TILE + 1, -1)
  }
  inside.stroke()
  return context.createPattern(tile, 'repeat') ?? stripe
}
