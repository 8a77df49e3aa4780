import { renderHook } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findShortcut, readPress, stepTo, switchKeys, useShortcuts, type Press } from './shortcuts.ts';

const on = (place: Press['place'], key: string, modified = false) => findShortcut({ key, modified, place });

describe('Desk: keys', () => {
  it.each([
    ['j', 'next'],
    ['k', 'previous'],
    ['o', 'open'],
    ['Enter', 'open'],
    ['u', 'back'],
    ['Escape', 'back'],
    ['/', 'search'],
    ['?', 'help'],
    ['x', undefined],
    ['J', undefined],
    ['toString', undefined],
  ] as const)('%s on the page means %s', (key, shortcut) => {
    expect(on('page', key)).toBe(shortcut);
    expect(on('text', key)).toBeUndefined();
    expect(on('overlay', key)).toBeUndefined();
    expect(on('page', key, true)).toBeUndefined();
  });

  it('Leaves Enter to links and buttons, but no letters', () => {
    expect(on('control', 'Enter')).toBeUndefined();
    expect(on('control', 'j')).toBe('next');
  });

  it.each([
    [-1, 3, 'next', 0],
    [-1, 3, 'previous', 2],
    [0, 3, 'previous', 0],
    [0, 3, 'next', 1],
    [2, 3, 'next', 2],
    [5, 3, 'next', 2],
    [-1, 0, 'next', -1],
    [4, 0, 'previous', -1],
  ] as const)('Steps from %i of %i to %s: %i', (index, count, shortcut, expected) => {
    expect(stepTo(index, count, shortcut)).toBe(expected);
  });
});

describe('Desk: keys that are switched off', () => {
  afterEach(() => localStorage.clear());

  it('Ignores single characters, in this browser from now on, and nothing else (WCAG 2.1.4)', () => {
    const next = vi.fn();
    const back = vi.fn();
    renderHook(() => useShortcuts({ next, back }));
    const press = (key: string) => document.dispatchEvent(new KeyboardEvent('keydown', { key }));
    press('j');
    expect(next).toHaveBeenCalledTimes(1);
    switchKeys(true);
    press('j');
    press('Escape');
    expect(next).toHaveBeenCalledTimes(1);
    expect(back).toHaveBeenCalledTimes(1);
    switchKeys(false);
    press('j');
    expect(next).toHaveBeenCalledTimes(2);
  });

  it('Takes letters for text after the field in which somebody wrote has gone, until the next press', () => {
    const next = vi.fn();
    renderHook(() => useShortcuts({ next }));
    const press = (key: string) => document.dispatchEvent(new KeyboardEvent('keydown', { key }));
    const field = document.body.appendChild(document.createElement('textarea'));
    field.focus();
    field.remove();
    press('j');
    expect(next).not.toHaveBeenCalled();
    document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    press('j');
    expect(next).toHaveBeenCalledTimes(1);
  });
});

describe('Desk: place of a key press', () => {
  afterEach(() => document.body.replaceChildren());

  it.each([
    ['<p id="x"></p>', 'page'],
    ['<a href="/" ><span id="x"></span></a>', 'control'],
    ['<button id="x"></button>', 'control'],
    ['<input type="checkbox" id="x">', 'control'],
    ['<input type="search" id="x">', 'text'],
    ['<input type="date" id="x">', 'text'],
    ['<select id="x"></select>', 'text'],
    ['<textarea id="x"></textarea>', 'text'],
    ['<div role="dialog"><button id="x"></button></div>', 'overlay'],
    ['<p id="x"></p><div role="alertdialog"></div>', 'overlay'],
    ['<p id="x"></p><div role="menu"></div>', 'overlay'],
  ] as const)('Reads %s as %s', (html, place) => {
    document.body.innerHTML = html;
    let seen: Press | undefined;
    document.body.addEventListener('keydown', (event) => (seen = readPress(event)), { once: true });
    document.querySelector('#x')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
    expect(seen).toEqual({ key: 'j', modified: false, place });
  });
});
