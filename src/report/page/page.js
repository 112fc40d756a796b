/* What brings the page to life: charts and panels into their sections, the rows that the plain tables leave out. */
"use strict";
(function () {
    const results = JSON.parse(document.getElementById("results").textContent);
    pagelab.results = results;

    function text(value) {
        if (value === null) return "\u2013";
        if (typeof value === "boolean") return value ? "yes" : "no";
        if (typeof value !== "number") return value;
        return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toLocaleString("en") : String(Number(value.toPrecision(6)));
    }

    function showAll(details, table) {
        const body = details.querySelector("tbody"), rows = document.createDocumentFragment();
        for (const row of table.rows) {
            const line = document.createElement("tr");
            for (const value of row) {
                const cell = document.createElement("td");
                cell.textContent = text(value);
                if (typeof value === "string") cell.className = "t";
                line.append(cell);
            }
            rows.append(line);
        }
        body.replaceChildren(rows);
    }

    function csv(table) {
        const quote = (value) => {
            const plain = value === null ? "" : String(value);
            return /[",\n\r]/.test(plain) ? '"' + plain.replace(/"/g, '""') + '"' : plain;
        };
        return [table.columns.map((column) => column.name)].concat(table.rows).map((row) => row.map(quote).join(",")).join("\n") + "\n";
    }

    function button(words, act) {
        const out = document.createElement("button");
        out.type = "button";
        out.textContent = words;
        out.addEventListener("click", act);
        return out;
    }

    function save(table, name) {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([csv(table)], { type: "text/csv" }));
        link.download = name + ".csv";
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }

    for (const section of document.querySelectorAll("section[data-index]")) {
        const result = results[Number(section.dataset.index)];
        const panel = pagelab.panel.add(result, section, Number(section.dataset.index) + 1);
        /* The panel draws the cost curve of a model already. */
        if (typeof Chart !== "undefined" && !(panel && result.kind === "model"))
            pagelab.charts.result(result, section.querySelector(".charts"));
        for (const details of section.querySelectorAll("details[data-table]")) {
            const table = result.tables[details.dataset.table], rest = details.querySelector(".rest");
            const line = document.createElement("p");
            if (rest) line.append(button("all rows", (event) => { showAll(details, table); rest.remove(); event.target.remove(); }), " ");
            line.append(button("CSV", () => save(table, details.dataset.table)));
            details.append(line);
        }
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", pagelab.charts.refresh);
    addEventListener("beforeprint", () => {
        document.querySelectorAll("details").forEach((details) => { details.open = true; });
        pagelab.charts.resize();
    });
})();
