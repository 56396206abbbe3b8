/** Draws the program's icon: four bars, one for each agent. */
type Color = readonly [red: number, green: number, blue: number]

interface Bar {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly radius: number
  readonly color: Color
}

/** In units of the icon's side. */
const shapes: readonly Bar[] = [
  { left: 0.03, top: 0.03, width: 0.94, height: 0.94, radius: 0.2, color: [0x17, 0x19, 0x1e] },
  { left: 0.2, top: 0.3, width: 0.115, height: 0.4, radius: 0.04, color: [0x60, 0xaa, 0xf3] },
  { left: 0.362, top: 0.22, width: 0.115, height: 0.56, radius: 0.04, color: [0x6c, 0xcd, 0x83] },
  { left: 0.523, top: 0.36, width: 0.115, height: 0.34, radius: 0.04, color: [0xf3, 0x86, 0x51] },
  { left: 0.685, top: 0.26, width: 0.115, height: 0.48, radius: 0.04, color: [0xef, 0x87, 0xba] },
]

/** The bitmap as rows of blue, green, red, alpha, with premultiplied colors. */
export function drawIcon(size: number): Buffer {
  const pixels = Buffer.alloc(size * size * 4)
  for (const shape of shapes) {
    const { left, top, width, height } = shape
    for (let y = Math.floor(top * size); y < (top + height) * size; y++) {
      for (let x = Math.floor(left * size); x < (left + width) * size; x++) {
        const share = coverage(shape, (x + 0.5) / size, (y + 0.5) / size, 1 / size)
        if (share > 0) blend(pixels, (y * size + x) * 4, shape.color, share)
      }
    }
  }
  return pixels
}

/** The share of a pixel around a point inside the rounded bar: 0 to 1, with an edge one pixel wide. */
function coverage(bar: Bar, x: number, y: number, pixel: number): number {
  const dx = Math.abs(x - bar.left - bar.width / 2) - bar.width / 2 + bar.radius
  const dy = Math.abs(y - bar.top - bar.height / 2) - bar.height / 2 + bar.radius
  const outside = Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - bar.radius
  return Math.min(1, Math.max(0, 0.5 - outside / pixel))
}

/** @param at where the blue, green, red and alpha of a pixel begin */
function blend(pixels: Buffer, at: number, [red, green, blue]: Color, share: number): void {
  const mixed = (over: number, channel: number): number =>
    Math.round(over * share + (pixels[at + channel] ?? 0) * (1 - share))
  pixels[at] = mixed(blue, 0)
  pixels[at + 1] = mixed(green, 1)
  pixels[at + 2] = mixed(red, 2)
  pixels[at + 3] = mixed(255, 3)
}
