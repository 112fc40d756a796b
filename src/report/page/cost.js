/* The cost model of 1996 over a fault table, as src/model computes it: interpolate.c, slopes.c, fault_curves.c,
 * cost1996.c and optimum.c, step for step, so that the panel's numbers equal the program's. Knows nothing of the page. */
"use strict";
var pagelab = {};

pagelab.cost = (function () {
    const LOG_COUNT_MAX = 43.67, EDGE = 1e-12;

    /* --- slopes at the points ------------------------------------------------------------- */
    const secant = (x, y, i) => (y[i + 1] - y[i]) / (x[i + 1] - x[i]);

    function pchipEnd(h0, h1, s0, s1) {
        const slope = ((2 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
        if (slope * s0 <= 0) return 0;
        return s0 * s1 <= 0 && Math.abs(slope) > 3 * Math.abs(s0) ? 3 * s0 : slope;
    }

    function pchip(x, y) {
        const last = x.length - 1, slope = new Array(x.length);
        if (last === 1) return [secant(x, y, 0), secant(x, y, 0)];
        slope[0] = pchipEnd(x[1] - x[0], x[2] - x[1], secant(x, y, 0), secant(x, y, 1));
        for (let i = 1; i < last; i++) {
            const h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i], s0 = secant(x, y, i - 1), s1 = secant(x, y, i);
            const w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
            slope[i] = s0 * s1 <= 0 ? 0 : (w0 + w1) / (w0 / s0 + w1 / s1);
        }
        slope[last] = pchipEnd(x[last] - x[last - 1], x[last - 1] - x[last - 2], secant(x, y, last - 1),
                               secant(x, y, last - 2));
        return slope;
    }

    /* Steffen 1990: no interval leaves the range of its end points. */
    function steffen(x, y) {
        const last = x.length - 1, slope = new Array(x.length), sign = (v) => (v < 0 ? -1 : 1);
        slope[0] = secant(x, y, 0);
        slope[last] = secant(x, y, last - 1);
        for (let i = 1; i < last; i++) {
            const h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i], s0 = secant(x, y, i - 1), s1 = secant(x, y, i);
            const p = (s0 * h1 + s1 * h0) / (h0 + h1);
            slope[i] = (sign(s0) + sign(s1)) * Math.min(Math.abs(s0), Math.abs(s1), 0.5 * Math.abs(p));
        }
        return slope;
    }

    /* Akima 1970, with two secants more at each end. */
    function akima(x, y) {
        const n = x.length, m = [0, 0];
        for (let i = 0; i + 1 < n; i++) m.push(secant(x, y, i));
        m[1] = 2 * m[2] - m[3];
        m[0] = 3 * m[2] - 2 * m[3];
        m.push(2 * m[n] - m[n - 1], 3 * m[n] - 2 * m[n - 1]);
        const slope = new Array(n);
        for (let i = 0; i < n; i++) {
            const a = Math.abs(m[i + 3] - m[i + 2]), b = Math.abs(m[i + 1] - m[i]);
            slope[i] = a + b === 0 ? m[i + 2] : (1 - b / (a + b)) * m[i + 1] + (b / (a + b)) * m[i + 2];
        }
        return slope;
    }

    /* The natural cubic spline: second derivatives by elimination, then slopes. */
    function cspline(x, y) {
        const n = x.length, c = new Array(n).fill(0), diagonal = [], right = [];
        for (let i = 1; i < n - 1; i++) {
            const h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
            diagonal[i] = 2 * (h0 + h1);
            right[i] = 3 * (secant(x, y, i) - secant(x, y, i - 1));
            if (i > 1) {
                const f = h0 / diagonal[i - 1];
                diagonal[i] -= f * h0;
                right[i] -= f * right[i - 1];
            }
        }
        for (let i = n - 2; i >= 1; i--) c[i] = (right[i] - (x[i + 1] - x[i]) * c[i + 1]) / diagonal[i];
        const slope = new Array(n);
        for (let i = 0; i + 1 < n; i++) {
            const h = x[i + 1] - x[i];
            slope[i] = secant(x, y, i) - (h * (c[i + 1] + 2 * c[i])) / 3;
            if (i === n - 2) slope[n - 1] = slope[i] + (c[i] + c[i + 1]) * h;
        }
        return slope;
    }

    const shapes = { pchip: pchip, steffen: steffen, akima: akima, cspline: cspline };
    const fewest = { linear: 2, pchip: 2, steffen: 3, akima: 5, cspline: 3 };

    /* --- a function through points ------------------------------------------------------------ */
    function interpolant(method, x, y) {
        const log = method.startsWith("log-"), shape = log ? method.slice(4) : method;
        const offset = y.includes(0) ? 1 : 0, n = x.length;
        const g = log ? y.map((v) => Math.log(v + offset)) : y;
        const slope = shape === "linear" ? null : shapes[shape](x, g);
        const outer = (i) =>
            Math.min((Math.log(y[i + 1] + offset) - Math.log(y[i] + offset)) / (x[i + 1] - x[i]), 0);
        const below = outer(0), above = outer(n - 2);
        const outside = (value, distance, rise) =>
            Math.max(Math.exp(Math.min(Math.log(value + offset) + rise * distance, LOG_COUNT_MAX)) - offset, 0);
        return function (at) {
            if (at < x[0]) return outside(y[0], at - x[0], below);
            if (at > x[n - 1]) return outside(y[n - 1], at - x[n - 1], above);
            let low = 0, high = n - 1;
            while (high - low > 1) {
                const middle = (low + high) >> 1;
                if (x[middle] <= at) low = middle;
                else high = middle;
            }
            if (at === x[low]) return y[low];
            if (at === x[low + 1]) return y[low + 1];
            const h = x[low + 1] - x[low], t = at - x[low], s = (g[low + 1] - g[low]) / h;
            const b = slope ? slope[low] : s, c = slope ? (3 * s - 2 * slope[low] - slope[low + 1]) / h : 0;
            const d = slope ? (slope[low] + slope[low + 1] - 2 * s) / (h * h) : 0;
            const value = g[low] + t * (b + t * (c + t * d));
            return log ? Math.exp(value) - offset : value;
        };
    }

    /* --- Read(x) and Write(x) --------------------------------------------------------------------- */
    /* table: { memory_mb, reads, writes or null, cold or null, rule or null, page_size } */
    function curves(table, method) {
        const exact = method === "exact", how = exact ? "linear" : method, mb = table.memory_mb;
        const last = mb[mb.length - 1], page = table.page_size / 1048576, low = mb[0];
        const end = (column) => column[column.length - 1];
        const readsSettled = end(table.reads) === 0 || (table.rule === "memsim" && end(table.reads) === table.cold);
        const writesSettled = Boolean(table.writes) && end(table.writes) === 0;
        const high = readsSettled && (!table.writes || writesSettled) ? Infinity : last;
        const reads = interpolant(how, mb, table.reads), writes = table.writes && interpolant(how, mb, table.writes);
        const floor = (x) => (exact ? Math.floor(x / page + 1e-9) * page : x);
        function at(memory) {
            let x = floor(memory);
            if (Math.abs(x - low) <= EDGE * low) x = low;
            else if (Math.abs(x - last) <= EDGE * last) x = last;
            return {
                reads: reads(readsSettled ? Math.min(x, last) : x),
                writes: writes ? writes(writesSettled ? Math.min(x, last) : x) : 0,
                extrapolated: x < low || x > high,
            };
        }
        return { table: table, at: at, floor: floor, exact: exact, page_mb: page, low_mb: low, high_mb: high };
    }

    /* --- the cost --------------------------------------------------------------------------------------- */
    function evictions(c, cost) {
        const t = c.table;
        let faults = cost.at_resident.reads;
        if (t.rule !== "memsim") {
            if (t.cold === null || t.cold === undefined) return faults;
            faults += t.cold;
        }
        return Math.max(faults - cost.resident_mb / c.page_mb, 0);
    }

    /* p: { m_mb, d_mb, r, cd_s, ch_s, frac, frac_reading, accounting } */
    function evaluate(c, p) {
        const cost = { resident_mb: c.floor(p.m_mb - p.d_mb) };
        cost.reach_mb = c.exact ? cost.resident_mb + c.floor(p.d_mb * p.r) : p.m_mb - p.d_mb + p.d_mb * p.r;
        cost.at_m = c.at(p.m_mb);
        cost.at_resident = c.at(cost.resident_mb);
        cost.at_reach = c.at(cost.reach_mb);
        cost.extrapolated = cost.at_m.extrapolated || cost.at_resident.extrapolated || cost.at_reach.extrapolated;
        const old = p.accounting !== "two-level";
        const readCodec = old ? cost.at_resident.reads : cost.at_resident.reads - cost.at_reach.reads;
        const writeCodec = old ? cost.at_resident.writes : evictions(c, cost);
        cost.read_s = p.cd_s * readCodec - p.ch_s * (cost.at_m.reads - cost.at_reach.reads);
        cost.write_s = p.cd_s * writeCodec - p.ch_s * (cost.at_m.writes - cost.at_reach.writes);
        const accesses = p.frac * (p.frac_reading === "cache" ? cost.at_resident.writes : cost.at_reach.writes);
        cost.frac_s = p.ch_s * accesses;
        cost.total_s = cost.read_s + cost.write_s + cost.frac_s;
        return cost;
    }

    /* The largest d for which m, m - d and h lie inside the table; -1 when m does not. */
    function reach(c, p) {
        if (c.at(p.m_mb).extrapolated) return -1;
        const below = Math.max(p.m_mb - c.low_mb, 0);
        const above = p.r > 1 ? Math.max(c.high_mb - p.m_mb, 0) / (p.r - 1) : Infinity;
        return Math.min(below, above, p.m_mb);
    }

    function goldenSection(look, low, high, width) {
        const share = (Math.sqrt(5) - 1) / 2;
        let a = high - share * (high - low), b = low + share * (high - low), atA = look(a), atB = look(b);
        while (high - low > 1e-10 * width) {
            if (atA <= atB) {
                high = b;
                b = a;
                atB = atA;
                a = high - share * (high - low);
                atA = look(a);
            } else {
                low = a;
                a = b;
                atA = atB;
                b = low + share * (high - low);
                atB = look(b);
            }
        }
        return (low + high) / 2;
    }

    /* The d of the least cost, or null when the table cannot tell. */
    function optimum(c, p) {
        const most = reach(c, p);
        if (!(most > 0)) return null;
        const high = Math.max(c.floor(most), 0);
        const count = c.exact ? Math.floor(high / c.page_mb) : Math.min(256 + 4 * c.table.memory_mb.length, 8192);
        const step = c.exact ? c.page_mb : high / count, place = (i) => Math.min(i * step, high);
        const look = (d) => {
            const cost = evaluate(c, Object.assign({}, p, { d_mb: d }));
            return cost.extrapolated ? Infinity : cost.total_s;
        };
        let best = 0, least = Infinity;
        for (let i = 0; i <= count; i++) {
            const value = look(place(i));
            if (value < least) {
                best = i;
                least = value;
            }
        }
        let d = place(best);
        if (!c.exact && high > 0 && isFinite(least)) {
            const refined = goldenSection(look, place(best > 0 ? best - 1 : 0), place(best < count ? best + 1 : best), high);
            if (look(refined) < least) d = refined;
        }
        return { d_mb: d, cost: evaluate(c, Object.assign({}, p, { d_mb: d })), reach_d_mb: high };
    }

    const names = [];
    for (const prefix of ["", "log-"])
        for (const shape of Object.keys(fewest)) names.push(prefix + shape);
    return { curves: curves, evaluate: evaluate, optimum: optimum, interpolant: interpolant, methods: names,
             fewest: (method) => fewest[method.replace("log-", "")] || 2 };
})();
