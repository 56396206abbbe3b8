import { expect, test } from 'vitest'
import {
  capacityOf,
  columnsOf,
  landingEdge,
  neighborPanel,
  PANEL_MIN_WIDTH,
  spanOf,
  tileCapacityOf,
} from './geometry.ts'

test('no panel is narrower than 360 px, and at most four panels fit in two columns', () => {
  expect(capacityOf('grid', { width: 813, height: 570 })).toBe(4)
  expect(capacityOf('grid', { width: 700, height: 570 })).toBe(2)
  expect(capacityOf('grid', { width: 813, height: 300 })).toBe(2)
  expect(capacityOf('grid', { width: 300, height: 100 })).toBe(1)
  expect(capacityOf('columns', { width: 1500, height: 300 })).toBe(4)
  expect(capacityOf('columns', { width: 1079, height: 900 })).toBe(2)
  expect(capacityOf('focus', { width: 2000, height: 2000 })).toBe(1)
})

test('a wide stage has up to eight panels, and few panels share all of it', () => {
  // Windows of 2560 × 1440, 2200 × 1200, 1920 × 1080 and 3840 × 700 px.
  expect(capacityOf('grid', { width: 1597, height: 1200 })).toBe(8)
  expect(capacityOf('grid', { width: 1345, height: 1000 })).toBe(6)
  expect(capacityOf('grid', { width: 1149, height: 900 })).toBe(4)
  expect(capacityOf('grid', { width: 2490, height: 300 })).toBe(4)
  expect(capacityOf('columns', { width: 1597, height: 1200 })).toBe(4)
  expect(capacityOf('columns', { width: 2490, height: 300 })).toBe(6)
  for (const width of [1200, 1439, 1440, 1597, 2200, 4000])
    for (let count = 1; count <= capacityOf('grid', { width, height: 1200 }); count++)
      expect(width / columnsOf('grid', count, width)).toBeGreaterThanOrEqual(PANEL_MIN_WIDTH)
  expect([1, 2, 3, 4, 5, 6, 7, 8].map((count) => columnsOf('grid', count, 1597))).toEqual([
    1, 2, 2, 2, 3, 3, 4, 4,
  ])
})

test('the last panel fills its row', () => {
  const spans = (count: number, columns: number) =>
    Array.from({ length: count }, (_, index) => spanOf(index, count, columns))
  expect(spans(3, 2)).toEqual([1, 1, 2])
  expect(spans(4, 2)).toEqual([1, 1, 1, 1])
  expect(spans(5, 3)).toEqual([1, 1, 1, 1, 2])
  expect(spans(7, 4)).toEqual([1, 1, 1, 1, 1, 1, 2])
  expect(spans(1, 1)).toEqual([1])
})

test('the grid has two columns if they fit', () => {
  expect(columnsOf('grid', 4, 813)).toBe(2)
  expect(columnsOf('grid', 4, 700)).toBe(1)
  expect(columnsOf('grid', 1, 813)).toBe(1)
  expect(columnsOf('columns', 3, 1200)).toBe(3)
})

const box = (x: number, y: number, width = 400, height = 300) => new DOMRect(x, y, width, height)

test('arrow keys go to the nearest panel in their direction', () => {
  const others = [
    { id: 'right', box: box(400, 0) },
    { id: 'below', box: box(0, 300) },
    { id: 'across', box: box(400, 300) },
  ]
  expect(neighborPanel(box(0, 0), others, 'ArrowRight')).toBe('right')
  expect(neighborPanel(box(0, 0), others, 'ArrowDown')).toBe('below')
  expect(neighborPanel(box(0, 0), others, 'ArrowLeft')).toBeNull()
})

test('a panel lands at the nearest edge with room', () => {
  const stage = { width: 800, height: 600 }
  const target = box(400, 0)
  // One panel in the row leaves room beside it.
  expect(landingEdge({ point: { x: 790, y: 150 }, target, staying: [target], stage })).toBe('right')
  // Three panels in the row would be narrower than 360 px.
  expect(landingEdge({ point: { x: 790, y: 160 }, target, staying: [target, box(0, 0)], stage })).toBe(
    'below',
  )
  expect(landingEdge({ point: { x: 790, y: 140 }, target, staying: [target, box(0, 0)], stage })).toBe(
    'above',
  )
})

test('tiles take at most four rows, and fewer where their share of the stage shows fewer whole', () => {
  expect(tileCapacityOf({ width: 800, height: 800 }, false)).toBe(16)
  expect(tileCapacityOf({ width: 800, height: 800 }, true)).toBe(15)
  expect(tileCapacityOf({ width: 720, height: 600 }, true)).toBe(8)
  expect(tileCapacityOf({ width: 720, height: 200 }, false)).toBe(3)
})
