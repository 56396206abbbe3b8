import { expect, test } from 'vitest'
import { capacityOf, columnsOf, landingEdge, neighborOf } from './geometry.ts'

test('no panel is narrower than 360 px, and at most four panels fit', () => {
  expect(capacityOf('grid', { width: 813, height: 570 })).toBe(4)
  expect(capacityOf('grid', { width: 700, height: 570 })).toBe(2)
  expect(capacityOf('grid', { width: 813, height: 300 })).toBe(2)
  expect(capacityOf('grid', { width: 300, height: 100 })).toBe(1)
  expect(capacityOf('columns', { width: 1500, height: 300 })).toBe(4)
  expect(capacityOf('columns', { width: 1079, height: 900 })).toBe(2)
  expect(capacityOf('focus', { width: 2000, height: 2000 })).toBe(1)
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
  expect(neighborOf(box(0, 0), others, 'ArrowRight')).toBe('right')
  expect(neighborOf(box(0, 0), others, 'ArrowDown')).toBe('below')
  expect(neighborOf(box(0, 0), others, 'ArrowLeft')).toBeNull()
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
